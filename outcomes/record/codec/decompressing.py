"""Small frames of zstd, thousands at a time, read in one context.

Python's module makes a context for each frame. Making one asks the processor what it can do, which
a virtual machine leaves to its host: four fifths of the time that an item of a kilobyte takes. The
library inside the module reads as many frames as one likes in one context, so it is asked itself.
"""

import ctypes
import sys
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LARGEST = 64 * 1024  # what comes out of a frame; for a larger one a context of its own is little


class Decompressor:
    """Decompressor for frames with this dictionary, for one thread. Large or broken frames, and all
    of them where the library cannot be loaded, go through the module."""

    def __init__(self, common: zstd.ZstdDict) -> None:
        self._common = common
        self._library = library = _library()
        if library is None:
            return
        dictionary = common.dict_content
        self._context = library.ZSTD_createDCtx()
        self._dictionary = library.ZSTD_createDDict(dictionary, len(dictionary))
        self._out = ctypes.create_string_buffer(LARGEST)
        self._place = ctypes.addressof(self._out)

    def __call__(self, frame: bytes) -> bytes:
        if self._library is not None and frame:
            length: int = self._library.ZSTD_decompress_usingDDict(
                self._context, self._place, LARGEST, frame, len(frame), self._dictionary
            )
            if length <= LARGEST:  # an error is a number beyond all lengths
                return ctypes.string_at(self._place, length)
        return zstd.decompress(frame, zstd_dict=self._common)

    def __del__(self) -> None:
        if self._library is not None:
            self._library.ZSTD_freeDCtx(self._context)
            self._library.ZSTD_freeDDict(self._dictionary)


def _library() -> Any:
    """None where the module does not say where it lies, or shows nothing of what is in it."""
    path = getattr(getattr(zstd, "_zstd", None), "__file__", None)
    if path is None:
        return None
    try:
        # Calls are short: letting another thread in costs more than they take.
        library = ctypes.PyDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (AttributeError, OSError):
        return None
    return library


_OBJECT, _SIZE, _BYTES = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "ZSTD_createDCtx": (_OBJECT, []),
    "ZSTD_freeDCtx": (_SIZE, [_OBJECT]),
    "ZSTD_createDDict": (_OBJECT, [_BYTES, _SIZE]),
    "ZSTD_freeDDict": (_SIZE, [_OBJECT]),
    "ZSTD_decompress_usingDDict": (_SIZE, [_OBJECT, _OBJECT, _SIZE, _BYTES, _SIZE, _OBJECT]),
}

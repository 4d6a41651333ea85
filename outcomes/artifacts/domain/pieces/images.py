"""Images that pages can show: their type and size, read from their first bytes.

Raster images only. Vector formats such as SVG can contain scripts and URLs.
"""

import re
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

LARGEST: Final = 50_000_000  # pixels that a page lets a browser unpack
_PNG: Final = b"\x89PNG\r\n\x1a\n"
# JPEG frames that contain the image size; others are skipped by their length.
_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD8)})  # markers without a length
_EXTENDS, _FRAME, _ENDS = b"!,;"  # first byte of a GIF block
_LARGEST_SIDE: Final = 2**16 - 1
_WEBP: Final = re.compile(rb"RIFF....WEBP(VP8[ LX])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Image:
    media_type: str
    width: int
    height: int

    @property
    def is_bearable(self) -> bool:
        """Whether browsers can unpack it safely: a few bytes may expand to gigabytes of pixels."""
        return 0 < self.width * self.height <= LARGEST


def image_of(head: bytes) -> Image | None:
    try:
        if head.startswith(_PNG):
            return Image("image/png", *struct.unpack_from(">II", head, 16))
        if head[:6] in (b"GIF87a", b"GIF89a"):
            return _gif(head)
        if head.startswith(b"\xff\xd8\xff"):
            return _jpeg(head)
        return _webp(head)
    except (struct.error, IndexError):
        return None


def _gif(head: bytes) -> Image:
    """GIF, with the size of its first frame if that is larger: browsers draw all of it."""
    width, height = struct.unpack_from("<HH", head, 6)
    with suppress(struct.error, IndexError):
        place = 13 + _colours(head[10])
        while head[place] == _EXTENDS:
            place += 2
            while head[place]:
                place += 1 + head[place]
            place += 1
        if head[place] == _ENDS:
            return Image("image/gif", width, height)
        if head[place] == _FRAME:
            left, top, wide, high = struct.unpack_from("<HHHH", head, place + 1)
            return Image("image/gif", max(width, left + wide), max(height, top + high))
    return Image("image/gif", _LARGEST_SIDE, _LARGEST_SIDE)  # unknown from these bytes


def _colours(packed: int) -> int:
    """Size in bytes of the global colour table of a GIF."""
    return 3 << (packed & 7) + 1 if packed & 0x80 else 0


def _jpeg(head: bytes) -> Image | None:
    place = 2
    while place + 4 <= len(head):
        if head[place] != 0xFF:
            return None
        marker = head[place + 1]
        if marker == 0xFF:  # fill byte
            place += 1
            continue
        if marker in _ALONE:
            place += 2
            continue
        if marker in _SIZES:
            height, width = struct.unpack_from(">HH", head, place + 5)
            return Image("image/jpeg", width, height)
        place += 2 + struct.unpack_from(">H", head, place + 2)[0]
    return None


def _webp(head: bytes) -> Image | None:
    match = _WEBP.match(head)
    if match is None or len(head) < 30:  # all variants have the size by then
        return None
    if match.group(1) == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return Image("image/webp", width, height)
    if match.group(1) == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        return Image("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack_from("<HH", head, 26)
    return Image("image/webp", width & 0x3FFF, height & 0x3FFF)

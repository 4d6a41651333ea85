"""Pictures that a page shows: what their own first bytes say they are, and how large they are.

Only pictures of points. One that is drawn from text, as SVG is, may hold scripts and addresses.
"""

import re
import struct
from dataclasses import dataclass
from typing import Final

LARGEST: Final = 50_000_000  # points that a page asks a browser to unpack
_PNG: Final = b"\x89PNG\r\n\x1a\n"
# The frames of a JPEG that hold its size; others are passed over by their length.
_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WEBP: Final = re.compile(rb"RIFF....WEBP(VP8[ LX])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Image:
    media_type: str
    width: int
    height: int

    @property
    def is_bearable(self) -> bool:
        """A few bytes may unpack to gigabytes of points."""
        return 0 < self.width * self.height <= LARGEST


def image_of(head: bytes) -> Image | None:
    try:
        if head.startswith(_PNG):
            return Image("image/png", *struct.unpack_from(">II", head, 16))
        if head[:6] in (b"GIF87a", b"GIF89a"):
            return Image("image/gif", *struct.unpack_from("<HH", head, 6))
        if head.startswith(b"\xff\xd8\xff"):
            return _jpeg(head)
        return _webp(head)
    except (struct.error, IndexError):
        return None


def _jpeg(head: bytes) -> Image | None:
    place = 2
    while place + 4 <= len(head):
        if head[place] != 0xFF:
            return None
        marker = head[place + 1]
        if marker in _SIZES:
            height, width = struct.unpack_from(">HH", head, place + 5)
            return Image("image/jpeg", width, height)
        place += 2 + struct.unpack_from(">H", head, place + 2)[0]
    return None


def _webp(head: bytes) -> Image | None:
    found = _WEBP.match(head)
    if found is None or len(head) < 30:  # where the size has been told in each of them
        return None
    if found.group(1) == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return Image("image/webp", width, height)
    if found.group(1) == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        return Image("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack_from("<HH", head, 26)
    return Image("image/webp", width & 0x3FFF, height & 0x3FFF)

"""An artifact is displayed according to its bytes, not the type that the agent declares."""

import struct

import pytest

from outcomes.artifacts.domain.pieces.images import Image, image_of
from outcomes.artifacts.domain.pieces.kinds import Shown, shown_as
from outcomes.artifacts.domain.pieces.octets import octet_rows

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 3, 5) + b"\0\0\0;"
COMMENTED = b"GIF89a" + struct.pack("<HH", 3, 5) + b"\x80\0\0" + b"\0" * 6 + b"!\xfe\2,,\1!\0"
JPEG = b"\xff\xd8" + b"\xff\xe1" + struct.pack(">H", 9_002) + b"E" * 9_000
JPEG += b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640)
WEBP = b"RIFF\0\0\0\0WEBP"
EXTENDED = WEBP + b"VP8X" + b"\0" * 8 + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
LOSSLESS = WEBP + b"VP8L\0\0\0\0\x2f" + (639 | 479 << 14).to_bytes(4, "little") + b"\0" * 9
LOSSY = WEBP + b"VP8 " + b"\0" * 10 + struct.pack("<HH", 640, 480)


@pytest.mark.parametrize(
    ("head", "image"),
    [
        (PNG, Image("image/png", 640, 480)),
        (GIF, Image("image/gif", 3, 5)),
        (COMMENTED + struct.pack("<cHHHH", b",", 0, 0, 3, 5), Image("image/gif", 3, 5)),
        (JPEG, Image("image/jpeg", 640, 480)),
        (EXTENDED, Image("image/webp", 640, 480)),
        (LOSSLESS, Image("image/webp", 640, 480)),
        (LOSSY, Image("image/webp", 640, 480)),
        (PNG[:20], None),
        (JPEG[:9_000], None),
        (WEBP + b"VP8X", None),
        (b"\xff\xd8\xff" + b"\0" * 50, None),
        (b'<svg xmlns="http://www.w3.org/2000/svg">', None),
        (b"", None),
    ],
)
def test_image_type_and_size_are_read_from_the_bytes(head, image):
    assert image_of(head) == image


# Images that a browser decodes to a larger size than their first header states.
LARGE = struct.pack(">HBHH", 17, 8, 60_000, 60_000)
SMALL = b"\xff\xc0" + struct.pack(">HBHH", 17, 8, 1, 1)
BOMBS = {
    "the frame of a GIF goes beyond it": COMMENTED
    + struct.pack("<cHHHH", b",", 0, 0, 60_000, 60_000),
    "the frame of a GIF is far away": COMMENTED + b"!\xfe" + b"\xff" * 120_000,
    "a JPEG fills before its size": b"\xff\xd8\xff\xff\xc0" + LARGE + b"\0" * 49_144 + SMALL,
    "a marker has no length": b"\xff\xd8\xff\x01\xff\xc0" + LARGE + b"\0" * 65_463 + SMALL,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_decompression_bomb_is_detected_by_its_dimensions(name):
    image = image_of(BOMBS[name])
    assert image is not None
    assert not image.is_bearable


def test_an_image_with_too_many_pixels_for_a_browser_is_rejected():
    assert Image("image/png", 7_000, 7_000).is_bearable
    assert not Image("image/png", 70_000, 7_000).is_bearable
    assert not Image("image/png", 0, 7_000).is_bearable


@pytest.mark.parametrize(
    ("media_type", "head", "ways"),
    [
        ("text/html", PNG, [Shown.IMAGE, Shown.BYTES]),
        ("image/png", b"plain", [Shown.TEXT, Shown.BYTES]),
        ("image/svg+xml", b"<svg>", [Shown.TEXT, Shown.BYTES]),
        ("text/plain", b"a\0b", [Shown.BYTES, Shown.TEXT]),
        ("text/plain", b"\xff\xfe" * 50, [Shown.BYTES, Shown.TEXT]),
        ("text/csv; header=present", b"a,b\n", [Shown.TABLE, Shown.TEXT, Shown.BYTES]),
        ("text/plain", b"Hello, you", [Shown.TEXT, Shown.TABLE, Shown.BYTES]),
        ("application/json", b' \n{"a": 1}', [Shown.JSON, Shown.TEXT, Shown.BYTES]),
        ("application/vnd.x+json", b"\xef\xbb\xbf[1]", [Shown.JSON, Shown.TEXT, Shown.BYTES]),
        ("text/plain", b"[1, 2]", [Shown.TEXT, Shown.JSON, Shown.BYTES]),
        ("application/json", b'"a text"', [Shown.TEXT, Shown.BYTES]),
        ("text/plain", "é".encode()[:1], [Shown.TEXT, Shown.BYTES]),
    ],
)
def test_the_best_way_to_display_an_artifact_is_first(media_type, head, ways):
    assert shown_as(media_type, head) == ways


def test_bytes_are_displayed_sixteen_per_row():
    rows = octet_rows(b"\0<a>" + bytes(range(0x7E, 0x8E)), 32)
    assert rows[0] == (32, "00 3c 61 3e 7e 7f 80 81 82 83 84 85 86 87 88 89", "·<a>~···········")
    assert rows[1].at == 48

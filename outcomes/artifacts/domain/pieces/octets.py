"""Hex dump: sixteen bytes per row, in hexadecimal and as characters."""

from typing import Final, NamedTuple

ROW: Final = 16
WINDOW: Final = ROW * 128


class OctetRow(NamedTuple):
    at: int
    octets: str
    characters: str


def octet_rows(window: bytes, start: int) -> list[OctetRow]:
    return [
        OctetRow(start + place, row.hex(" "), "".join(map(_shown, row)))
        for place in range(0, len(window), ROW)
        for row in (window[place : place + ROW],)
    ]


def _shown(octet: int) -> str:
    return chr(octet) if 0x20 <= octet < 0x7F else "·"

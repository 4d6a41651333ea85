"""Where a long JSON value ends, piece after piece of it, none of which is kept."""

import re
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 16 * 1024 * 1024  # bytes that are looked through for the end of one value

_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_TEXT_ENDS: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)', re.DOTALL)


def size_of_value(pieces: Iterable[bytes]) -> int | None:
    """Of the text, the list or the object that they begin with; None where they end before it."""
    taken = depth = 0
    in_text = is_escaped = False
    for piece in pieces:
        place, is_escaped = int(is_escaped), False
        if in_text:
            place, in_text, is_escaped = _rest_of_text(piece, place)
            if not in_text and not depth:
                return taken + place
        if not in_text:
            for found in _TOKEN.finditer(piece, place):
                token = found.group()
                if token == b'"':  # it ends in another piece
                    _, in_text, is_escaped = _rest_of_text(piece, found.end())
                    break
                depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
                if depth <= 0:
                    return taken + found.end()
        taken += len(piece)
    return None


def _rest_of_text(piece: bytes, place: int) -> tuple[int, bool, bool]:
    """Where it ends or the piece does, whether it goes on, and whether a character is escaped."""
    found = _TEXT_ENDS.match(piece, place)
    if found is None:
        return len(piece), True, False
    return found.end(), found.group(1) != b'"', found.group(1) == b"\\"

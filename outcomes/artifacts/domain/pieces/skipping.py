"""Size of a long JSON value, read in pieces without storing them."""

import re
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 16 * 1024 * 1024  # bytes searched for the end of one value

_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_TEXT_ENDS: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)', re.DOTALL)


def size_of_value(pieces: Iterable[bytes]) -> int | None:
    """Size of the string, array or object that these pieces begin with; None if incomplete."""
    consumed = depth = 0
    in_text = is_escaped = False
    for piece in pieces:
        place, is_escaped = int(is_escaped), False
        if in_text:
            place, in_text, is_escaped = _rest_of_text(piece, place)
            if not in_text and not depth:
                return consumed + place
        if not in_text:
            for match in _TOKEN.finditer(piece, place):
                token = match.group()
                if token == b'"':  # it ends in another piece
                    _, in_text, is_escaped = _rest_of_text(piece, match.end())
                    break
                depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
                if depth <= 0:
                    return consumed + match.end()
        consumed += len(piece)
    return None


def _rest_of_text(piece: bytes, place: int) -> tuple[int, bool, bool]:
    """End of the string in this piece, whether it continues, and whether it ends in an escape."""
    match = _TEXT_ENDS.match(piece, place)
    if match is None:
        return len(piece), True, False
    return match.end(), match.group(1) != b'"', match.group(1) == b"\\"

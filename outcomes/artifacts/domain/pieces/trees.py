"""Members of a JSON object or list out of some bytes, one after the other, nothing of it built.

A value that is short is read; of one that is longer only where it begins and ends is known, and of
one that goes beyond these bytes only where it begins. Nothing here fails on what is no JSON: it
tells how far it is some.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from governance.core.texts import is_storable
from outcomes.artifacts.domain.pieces.texts import visible

MEMBERS: Final = 50  # of one piece
WINDOW: Final = 512 * 1024  # bytes that are looked through
SHORT: Final = 1_024  # bytes of an object or a list that is read
TEXT: Final = 4_096  # bytes of a text that is read
BEGINNING: Final = 200  # characters of a longer text

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD: Final = re.compile(rb"[^ \t\r\n,\]}\[{:\"]+")
# Within a value nothing else matters; a quote alone is one that these bytes do not close.
_INSIDE: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_OPENS: Final = {b"{"[0]: "object", b"["[0]: "list"}
_CLOSES: Final = frozenset(b"}]")
_QUOTE, _COMMA, _COLON = b'",:'


@dataclass(frozen=True, slots=True)
class Member:
    name: str  # its key, or its number in a list
    kind: str  # object, list, text or word
    at: int  # its value's first byte
    size: int | None  # None: it ends behind these bytes
    value: Any = None
    is_read: bool = False
    beginning: str = ""  # of a text that is not read


@dataclass(frozen=True, slots=True)
class TreePiece:
    kind: str  # object or list; empty where none begins
    members: list[Member]
    number: int  # of the first of them
    next: int | None  # where the member after them begins
    is_ended: bool
    is_spoilt: bool = False  # what follows is no JSON


def container_at(window: bytes) -> tuple[str, int]:
    """Kind of container at the start of these bytes, and the offset of its first member."""
    place = _after_space(window, 3 if window.startswith(b"\xef\xbb\xbf") else 0)
    kind = _OPENS.get(window[place], "") if place < len(window) else ""
    return kind, place + 1


def tree_piece(
    window: bytes, start: int, kind: str, number: int = 0, *, most: int = MEMBERS
) -> TreePiece:
    """The members from where the window begins; `start` is where that is in the whole."""
    members: list[Member] = []
    place: int | None = 0
    while place is not None and len(members) < most:
        place = _after_space(window, place)
        if place < len(window) and window[place] == _COMMA:
            place = _after_space(window, place + 1)
        if place >= len(window):
            break
        if window[place] in _CLOSES:
            return TreePiece(kind, members, number, None, is_ended=True)
        begun = place
        name, place = _name(window, place, kind, number + len(members))
        if place is None or place >= len(window):
            is_spoilt = place is None
            return TreePiece(kind, members, number, None if is_spoilt else start + begun,
                             is_ended=False, is_spoilt=is_spoilt)  # fmt: skip
        end = _end(window, place)
        if end == place:
            return TreePiece(kind, members, number, None, is_ended=False, is_spoilt=True)
        if end is None and members:  # looked at from where it begins there is more of it to see
            return TreePiece(kind, members, number, start + begun, is_ended=False)
        members.append(_member(window, start, name, place, end))
        place = end
    return _ending(window, start, kind, members, number, place)


def _ending(
    window: bytes, start: int, kind: str, members: list[Member], number: int, place: int | None
) -> TreePiece:
    following = None
    if place is not None:
        place = _after_space(window, place)
        if place < len(window) and window[place] in _CLOSES:
            return TreePiece(kind, members, number, None, is_ended=True)
        following = start + place
    return TreePiece(kind, members, number, following, is_ended=False)


def _name(window: bytes, place: int, kind: str, number: int) -> tuple[str, int | None]:
    """Name of the member and the offset of its value; None where no value can be."""
    if kind == "list":
        return str(number), place
    key = _STRING.match(window, place)
    if key is None:
        return "", None if window[place] != _QUOTE else len(window)
    colon = _after_space(window, key.end())
    if colon >= len(window):
        return "", len(window)
    if window[colon] != _COLON:
        return "", None
    return _read_text(key.group())[:BEGINNING], _after_space(window, colon + 1)


def _end(window: bytes, place: int) -> int | None:
    """End of the value at this place: None if it lies behind these bytes, the place itself if it
    is no value."""
    first = window[place]
    if first == _QUOTE:
        text = _STRING.match(window, place)
        return text.end() if text else None
    if first not in _OPENS:
        word = _WORD.match(window, place)
        if word is None:
            return place
        return word.end() if word.end() < len(window) else None
    depth = 0
    for match in _INSIDE.finditer(window, place):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if not depth:
                return match.end()
        elif token == b'"':
            return None
    return None


def _member(window: bytes, start: int, name: str, place: int, end: int | None) -> Member:
    kind = "text" if window[place] == _QUOTE else _OPENS.get(window[place], "word")
    size = None if end is None else end - place
    if size is not None and size <= (SHORT if kind in ("object", "list") else TEXT):
        try:
            value = json.loads(window[place:end].decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            pass  # it shows as it is written
        else:
            return Member(name, kind, start + place, size, value, is_read=True)
    beginning = ""
    if kind in ("text", "word"):
        raw = window[place : min(end or len(window), place + 4 * BEGINNING)]
        beginning = visible(raw.decode("utf-8", "ignore"))[:BEGINNING]
    return Member(name, kind, start + place, size, beginning=beginning)


def _read_text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    try:
        name = str(json.loads(text))
    except ValueError:
        return visible(text)
    shown = visible(name)
    return shown if is_storable(shown) else visible(text)  # half of a character as it is written


def _after_space(window: bytes, place: int) -> int:
    match = _SPACE.match(window, place)
    return match.end() if match else place

"""Members of a JSON object or list, read one by one from part of a file without parsing all of it.

Short values are parsed. For longer ones only start and end are determined, and only the start if
they continue after the window. Invalid JSON never raises: members are listed up to the error.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from governance.core.texts import is_storable
from outcomes.artifacts.domain.pieces.texts import visible

MEMBERS: Final = 50  # per piece
WINDOW: Final = 512 * 1024  # bytes searched
SHORT: Final = 1_024  # bytes of an object or list that is parsed
TEXT: Final = 4_096  # bytes of a string that is parsed
BEGINNING: Final = 200  # characters shown of a longer string

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD: Final = re.compile(rb"[^ \t\r\n,\]}\[{:\"]+")
# Tokens that matter inside a value. A single quote mark starts a string not closed in the window.
_INSIDE: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_OPENS: Final = {b"{"[0]: "object", b"["[0]: "list"}
_CLOSES: Final = frozenset(b"}]")
_QUOTE, _COMMA, _COLON = b'",:'


@dataclass(frozen=True, slots=True)
class Member:
    name: str  # its key, or its index in a list
    kind: str  # object, list, text or word
    at: int  # offset of its value
    size: int | None  # None: it continues after the window
    value: Any = None
    is_read: bool = False
    beginning: str = ""  # of a string that is not parsed


@dataclass(frozen=True, slots=True)
class TreePiece:
    kind: str  # object or list; empty if none starts here
    members: list[Member]
    number: int  # index of the first member
    next: int | None  # offset of the next member
    is_ended: bool
    is_spoilt: bool = False  # the rest is invalid JSON


def container_at(window: bytes) -> tuple[str, int]:
    """Kind of container at the start of these bytes, and the offset of its first member."""
    place = _after_space(window, 3 if window.startswith(b"\xef\xbb\xbf") else 0)
    kind = _OPENS.get(window[place], "") if place < len(window) else ""
    return kind, place + 1


def tree_piece(
    window: bytes, start: int, kind: str, number: int = 0, *, most: int = MEMBERS
) -> TreePiece:
    """Members from the start of the window, which is at offset `start` of the artifact."""
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
        if end is None and members:  # a window that starts there shows more of it
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
    """Name of the member and the offset of its value, or None if no value can follow."""
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
    """End of the value at this offset: None if past the window, the offset itself if no value."""
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
            pass  # shown unparsed
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
    return shown if is_storable(shown) else visible(text)  # a lone surrogate stays escaped


def _after_space(window: bytes, place: int) -> int:
    match = _SPACE.match(window, place)
    return match.end() if match else place

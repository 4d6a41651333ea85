"""Shape of an output: its keys and types, and the values of its flag-like fields.

Two ordinary records of one kind have the same shape; `{"ok": true}` and `{"ok": false}` have
different ones. The traversal is limited and breadth-first, so every output costs about the same.
"""

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any, Final, NamedTuple

DEEPEST: Final = 5
WIDEST: Final = 64  # keys of one object; larger ones keep only their flags
ITEMS: Final = 20  # of a list, merged into one
VISITED: Final = 2_000  # values of one output
NODES: Final = 300  # of a shape
JSON_SEEN: Final = 65_536  # characters of one string
JSON_READ: Final = 262_144  # characters of all strings of one output
LONGEST_KEY: Final = 60
LONGEST_SHOWN: Final = 1_000  # characters displayed; the digest covers all of them


def _names(written: str) -> frozenset[str]:
    return frozenset(written.split())


# Names without case and punctuation, so that isError, is_error and IsError are equal. Fields whose
# values are part of the shape if they are true, false, 0 or 1:
SAYS_WHETHER: Final = _names(
    "ok success succeeded successful passed valid accepted approved completed complete done"
    " delivered sent saved updated created allowed authorized found"
    " iserror error haserror haserrors errors failed failure isfailed denied rejected"
    " blocked cancelled canceled aborted interrupted timedout timeout truncated retryable"
    " refused wasdenied iscomplete"
)
# If they are one word, like an enumeration value:
STATES: Final = _names(
    "status state code type ok success error outcome phase finishreason stopreason responsestate"
    " resulttype errortype errorcode confirmationstate"
)
# If they are small integers:
CODES: Final = _names(
    "status statuscode httpstatus httpstatuscode httpcode code errorcode errno exitcode exitstatus"
    " exit returncode rc grpcstatus"
)
# Only whether they are 0:
COUNTS: Final = _names(
    "failed failures failedcount failedrecordcount errorcount errors rejected skipped"
    " rowcount rowsaffected affectedrows total count"
)
_NAMED_FLAGS: Final = SAYS_WHETHER | STATES | CODES | COUNTS
_SMALL: Final = 1_000
_ONE_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_-]{0,31}|[0-9]{1,3}")
_BARE: Final = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@-]*")
_PUNCTUATION: Final = re.compile(r"[^a-z0-9]+")
_DIGITS: Final = re.compile(r"[0-9]")
_ID_DIGITS: Final = 3  # a key with this many is an id or a date, not a name
_ANY_KEY: Final = "*"
_MORE: Final = "\N{HORIZONTAL ELLIPSIS}"


class Shape(NamedTuple):
    text: str  # for display; only printable ASCII and the ellipsis
    digest: str


def shape_of(value: object) -> Shape:
    text = "".join(_Outline(value).parts())
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}{_MORE}"
    return Shape(shown, sha256(text.encode()).hexdigest()[:32])


@dataclass(slots=True)
class _Node:
    """Everything seen at one position. Items of a list, and keys that are ids, share a node."""

    name: str = ""  # of a flag, otherwise empty
    merged: bool = False
    words: set[str] = field(default_factory=set)
    fields: "dict[str, _Node] | None" = None
    item: "_Node | None" = None
    inner: "_Node | None" = None  # content of a string that is JSON
    objects: int = 0  # number of objects seen here
    seen: int = 0  # number of objects that had this field


class _Seen(NamedTuple):
    node: _Node
    value: Any
    depth: int
    in_text: bool


class _Outline:
    def __init__(self, value: object) -> None:
        self._root = _Node()
        self._nodes = 1
        self._read = JSON_READ
        self._waiting = deque([_Seen(self._root, value, 0, in_text=False)])
        for _ in range(VISITED):
            if not self._waiting:
                return
            node, seen, depth, in_text = self._waiting.popleft()
            self._visit(node, seen, depth, in_text=in_text)
        for left in self._waiting:
            left.node.words.add(_MORE)

    def parts(self) -> Iterator[str]:
        return _words_of(self._root)

    def _visit(self, node: _Node, value: Any, depth: int, *, in_text: bool) -> None:
        match value:
            case None:
                node.words.add("null")
            case bool():
                shows_value = node.name in SAYS_WHETHER and not node.merged
                node.words.add(json.dumps(value) if shows_value else "bool")
            case int() | float():
                node.words.add(_number(node, value))
            case str():
                self._visit_text(node, value, depth, in_text=in_text)
            case list() | tuple():
                self._visit_list(node, value, depth, in_text=in_text)
            case dict():
                self._visit_object(node, value, depth, in_text=in_text)
            case _:
                node.words.add("other")

    def _visit_text(self, node: _Node, text: str, depth: int, *, in_text: bool) -> None:
        if not text:
            node.words.add('""')
            return
        if not node.merged and node.name in STATES and _ONE_WORD.fullmatch(text):
            node.words.add(json.dumps(text))
            return
        inner = None if in_text else self._parsed(text)
        if inner is None:
            node.words.add("text")
            return
        node.inner = node.inner or self._new(merged=node.merged)
        self._waiting.append(_Seen(node.inner, inner, depth, in_text=True))

    def _visit_list(self, node: _Node, items: Any, depth: int, *, in_text: bool) -> None:
        if not items:
            node.words.add("[]")
            return
        if depth == DEEPEST or self._is_full():
            node.words.add(f"[{_MORE}]")
            return
        node.item = node.item or self._new(merged=True)
        for item in islice(items, ITEMS):
            self._waiting.append(_Seen(node.item, item, depth + 1, in_text=in_text))

    def _visit_object(
        self, node: _Node, fields: dict[Any, Any], depth: int, *, in_text: bool
    ) -> None:
        if not fields:
            node.words.add("{}")
            return
        if depth == DEEPEST or self._is_full():
            node.words.add(f"{{{_MORE}}}")
            return
        node.objects += 1
        there = node.fields = node.fields if node.fields is not None else {}
        keys = [(_flag(str(key)), str(key), key) for key in fields]
        if len(keys) > WIDEST:
            there.setdefault(_MORE, _Node())
            keys = [each for each in keys if each[0]]
        # Flags first: if there are too many fields, flags matter most.
        keys.sort(key=lambda each: (not each[0], each[1]))
        for flag, text, key in keys[:WIDEST]:
            inner = self._field(there, _key(text), flag, merged=node.merged)
            if inner is not None:
                inner.seen += 1
                self._waiting.append(_Seen(inner, fields[key], depth + 1, in_text=in_text))

    def _field(self, there: dict[str, _Node], key: str, flag: str, *, merged: bool) -> _Node | None:
        """Node of a field, or None if the shape is full; it then gets an ellipsis."""
        if key not in there:
            if self._is_full():
                there.setdefault(_MORE, _Node())
                return None
            there[key] = self._new(name=flag, merged=merged or key == _ANY_KEY)
        return there[key]

    def _new(self, *, name: str = "", merged: bool) -> _Node:
        self._nodes += 1
        return _Node(name, merged)

    def _is_full(self) -> bool:
        return self._nodes >= NODES

    def _parsed(self, text: str) -> Any:
        """Object or list in a JSON string. None for other and for too long strings."""
        if len(text) > min(JSON_SEEN, self._read) or text.lstrip()[:1] not in ("{", "["):
            return None
        self._read -= len(text)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None


def _number(node: _Node, value: float) -> str:
    if node.merged or not node.name:
        return "number"
    if value in (0, 1) and node.name in SAYS_WHETHER - COUNTS:
        return str(int(value))
    if node.name in CODES and isinstance(value, int) and -_SMALL < value < _SMALL:
        return str(value)
    if node.name in COUNTS:
        return "0" if value == 0 else "number"
    return "number"


def _flag(key: str) -> str:
    if len(key) > LONGEST_KEY:
        return ""
    name = _PUNCTUATION.sub("", key.lower())
    return name if name in _NAMED_FLAGS else ""


def _key(key: str) -> str:
    if len(key) > LONGEST_KEY or len(_DIGITS.findall(key)) >= _ID_DIGITS:
        return _ANY_KEY
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _words_of(node: _Node) -> Iterator[str]:
    between = ""
    for part in _parts(node):
        yield between
        yield from part
        between = " | "


def _parts(node: _Node) -> Iterator[Iterator[str]]:
    words = sorted(node.words)
    if node.merged and node.item:
        words = [word for word in words if word != "[]"]
    if node.merged and node.fields:
        words = [word for word in words if word != "{}"]
    if words:
        yield iter([" | ".join(words)])
    if node.fields:
        yield _fields(node, node.fields)
    if node.item is not None:
        yield _around("[", _words_of(node.item), f", {_MORE}]")
    if node.inner is not None:
        yield _around("JSON ", _words_of(node.inner), "")


def _fields(node: _Node, fields: dict[str, _Node]) -> Iterator[str]:
    before = "{"
    for key, inner in sorted(fields.items(), key=lambda pair: (pair[0] == _MORE, pair[0])):
        yield f"{before}{key}"
        if key != _MORE:
            is_optional = node.merged and key != _ANY_KEY and inner.seen < node.objects
            yield "?: " if is_optional else ": "
            yield from _words_of(inner)
        before = ", "
    yield "}"


def _around(before: str, parts: Iterator[str], behind: str) -> Iterator[str]:
    yield before
    yield from parts
    yield behind

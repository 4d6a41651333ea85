"""Compiles a selector to a function that returns its value in a call, or `MISSING`."""

import json
import math
import operator
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from edictum_site_client.site.matching.call import ITEM, MISSING, TEXT, UNREAD, Call, Prefix
from edictum_site_client.site.matching.canonical import canonical, ordered, written

DEEPEST_JSON = 100

Select = Callable[[Call], Any]
Step = Callable[[Any, Call], Any]


def selector_of(alternatives: Sequence[Mapping[str, Any]]) -> Select:
    paths = [_path(each["base"], each["steps"]) for each in alternatives]
    if len(paths) == 1:
        return paths[0]

    def first(call: Call) -> Any:
        for path in paths:
            value = path(call)
            if value is not MISSING and value is not None:
                return value
        return MISSING

    return first


def member_of_result(alternatives: Sequence[Mapping[str, Any]]) -> str | None:
    """The name in a plain `result.name`, the most common selector, else None."""
    match alternatives:
        case [{"base": "result", "steps": [["key", name]]}]:
            return str(name)
        case _:
            return None


def _path(base: str, steps: Sequence[Sequence[Any]]) -> Select:
    start = _BASES[base]
    if not steps:
        return start
    if all(kind == "key" for kind, *_ in steps):
        return _member(start, [name for _, name in steps])
    walk = [(_STEPS[kind](*given), kind in ("items", "values")) for kind, *given in steps]

    def follow(call: Call) -> Any:
        value, many = start(call), False
        for step, spreads in walk:
            if many:
                call.spend(ITEM * len(value))
                values = [each for one in value if (each := step(one, call)) is not MISSING]
                if step is _as_json and any(each is UNREAD for each in values):
                    return UNREAD
                value = [item for items in values for item in items] if spreads else values
            else:
                value, many = step(value, call), spreads
                if value is MISSING or value is UNREAD:
                    break
        return value

    return follow


def _member(start: Select, names: Sequence[str]) -> Select:
    def member(call: Call) -> Any:
        value = start(call)
        for name in names:
            if type(value) is not dict or name not in value:
                return MISSING
            value = value[name]
        return value

    return member


def _key(name: str) -> Step:
    return lambda value, call: value.get(name, MISSING) if type(value) is dict else MISSING


def _index(place: int) -> Step:
    def at(value: Any, call: Call) -> Any:
        there = type(value) is list and -len(value) <= place < len(value)
        return value[place] if there else MISSING

    return at


def _items(value: Any, call: Call) -> Any:
    return value if type(value) is list else MISSING


def _values(value: Any, call: Call) -> Any:
    if type(value) is not dict:
        return MISSING
    call.spend(ITEM * len(value))
    return [value[name] for name in ordered(value)]


def _as_text(value: Any, call: Call) -> Any:
    if value is MISSING or type(value) is str or type(value) is Prefix:
        return value
    if type(value) is not list and type(value) is not dict:
        return canonical(value)
    # Keyed by identity, not equality. The entry keeps the value alive so that its id isn't reused.
    known = call.remembered(id(value))
    if known is MISSING:
        text, work = written(value, call.left // 2)  # the other half is for reading it
        call.spend(work)
        known = text, value
        call.remember(id(value), known)
    return known[0]


def _as_json(text: Any, call: Call) -> Any:
    if type(text) is not str:
        return UNREAD if type(text) is Prefix else MISSING
    known = call.remembered(text)
    if known is MISSING:
        known = (_read(text, call),)
        call.remember(text, known)
    return known[0]


def _read(text: str, call: Call) -> Any:
    # Most texts aren't JSON, and their first character shows it.
    begun = text.lstrip(" \t\n\r")
    work, is_some = len(text) - len(begun), begun[:1] in _BEGINNINGS
    if is_some:
        work += len(text)
    if work > call.left or (is_some and len(text) > TEXT):
        return UNREAD
    call.left -= work
    if not is_some or _too_deep(text):
        return MISSING
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return MISSING


def _too_deep(text: str) -> bool:
    """Checked before parsing, because the depth that parsers support differs between platforms."""
    if text.count("[") + text.count("{") <= DEEPEST_JSON:
        return False
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode("utf-8", "surrogatepass").translate(_ONE_DOWN_OR_UP, _NO_BRACKETS)
    return max(accumulate(array("b", brackets)), default=0) > DEEPEST_JSON


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _refused(word: str) -> Any:
    raise ValueError(word)


_BASES: dict[str, Select] = {
    base: operator.attrgetter(base) for base in ("result", "tool", "elapsed_ms", "item")
}
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ONE_DOWN_OR_UP = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_BEGINNINGS = frozenset('{["-0123456789tfn')
_JSON = json.JSONDecoder(
    parse_float=_finite,
    parse_int=lambda digits: int(digits) if len(digits) < 16 else _finite(digits),
    parse_constant=_refused,
)
_STEPS: dict[str, Callable[..., Step]] = {
    "key": _key,
    "index": _index,
    "items": lambda: _items,
    "values": lambda: _values,
    "json": lambda: _as_json,
    "text": lambda: _as_text,
}

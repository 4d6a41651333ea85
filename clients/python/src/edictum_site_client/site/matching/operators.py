"""From an operator to a test: false of what is missing, and of what it is not meant for."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from edictum_site_client.site.matching.call import ITEM, MISSING, Call
from edictum_site_client.site.matching.canonical import EXACT, double
from edictum_site_client.site.matching.patterns import Matches
from edictum_site_client.site.matching.selectors import TEXT

Test = Callable[[Any, Call], bool]


class UnknownFormat(ValueError):
    """The document is of another format than this text carries out."""


def operator_of(op: str, value: Any, *, fold: bool = False) -> Test:
    if fold:
        value = [_folded(each) for each in value] if isinstance(value, list) else _folded(value)
    match op:
        case "exists":
            return lambda seen, call: (seen is not MISSING and seen is not None) is value
        case "equals" | "in":
            return _among([value] if op == "equals" else value, fold=fold)
        case "not_equals" | "not_in":
            same = _among([value] if op == "not_equals" else value, fold=fold)
            return lambda seen, call: seen is not MISSING and not same(seen, call)
        case "contains":
            return _of_text(lambda text: value in text, fold=fold)
        case "contains_any":
            work = 1 + len(value) // 16
            return _of_text(lambda text: any(each in text for each in value), work, fold=fold)
        case "starts_with":
            return _of_text(lambda text: text.startswith(value), fold=fold)
        case "ends_with":
            return _of_text(lambda text: text.endswith(value), fold=fold)
        case "gt" | "gte" | "lt" | "lte":
            return _of_number(_COMPARISONS[op], double(value))
        case "type":
            types = _TYPES[value]
            return lambda seen, call: type(seen) in types
        case "empty":
            return lambda seen, call: seen is not MISSING and _is_empty(seen) is value
        case "length":
            compare = operator_of(value["op"], value["value"])
            return lambda seen, call: type(seen) in _SIZED and compare(len(seen), call)
        case _:
            raise UnknownFormat(f"The operator {op!r} is not known here.")


def matching_any(patterns: Sequence[Matches]) -> Test:
    return _of_text(lambda text: any(matches(text) for matches in patterns), len(patterns))


def _of_text(test: Callable[[str], bool], work: int = 1, *, fold: bool = False) -> Test:
    def of_text(seen: Any, call: Call) -> bool:
        if type(seen) is not str:
            return False
        if len(seen) > TEXT:
            seen, call.cut = seen[:TEXT], True
        call.spend(len(seen) * work + ITEM * (work - 1))
        return test(_folded(seen) if fold else seen)

    return of_text


def _of_number(compare: Callable[[Any, Any], bool], bound: float) -> Test:
    exact = abs(bound) < EXACT  # then it is no matter how a greater integer is rounded

    def of_number(seen: Any, call: Call) -> bool:
        kind = type(seen)
        if kind is not int and kind is not float:
            return False
        return compare(seen if exact else double(seen), bound)

    return of_number


def _among(values: Sequence[Any], *, fold: bool) -> Test:
    texts = {value for value in values if type(value) is str}
    lengths = {len(text) for text in texts}  # folding keeps them, and costs a walk over the text
    walk = max(lengths, default=0) // (1 if fold else ITEM)
    numbers = {double(value) for value in values if type(value) in _NUMBERS}
    words = {value for value in values if value is None or type(value) is bool}
    deep = [(value, _size(value)) for value in values if type(value) in (list, dict)]

    def among(seen: Any, call: Call) -> bool:
        kind = type(seen)
        if kind is str:
            if walk:
                call.spend(walk)
            return len(seen) in lengths and (_folded(seen) if fold else seen) in texts
        if kind is int or kind is float:
            return double(seen) in numbers
        if kind is list or kind is dict:
            call.spend(ITEM * len(deep))
            return any(_same_as(value, size, seen, call) for value, size in deep)
        return seen in words

    return among


def _same_as(wanted: Any, size: int, seen: Any, call: Call) -> bool:
    if type(wanted) is not type(seen) or len(wanted) != len(seen):
        return False
    call.spend(size)
    return _same(wanted, seen)


def _size(value: Any) -> int:
    """The work of comparing with it, at most."""
    if type(value) is str:
        return ITEM + len(value) // ITEM
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return ITEM + sum(map(_size, inner))


def _same(wanted: Any, seen: Any) -> bool:
    """As deep as what is wanted, whatever was seen."""
    if type(wanted) in _NUMBERS:
        return type(seen) in _NUMBERS and double(wanted) == double(seen)
    if type(wanted) is not type(seen):
        return False
    if type(wanted) is dict:
        return len(wanted) == len(seen) and all(
            name in seen and _same(each, seen[name]) for name, each in wanted.items()
        )
    if type(wanted) is list:
        return len(wanted) == len(seen) and all(map(_same, wanted, seen))
    return bool(wanted == seen)


def _folded(value: Any) -> Any:
    """A to Z only: what other letters fold to is nowhere the same."""
    if type(value) is not str:
        return value
    return value.lower() if value.isascii() else value.translate(_CAPITALS)


def _is_empty(value: Any) -> bool:
    return value is None or (type(value) in _SIZED and not value)


_CAPITALS = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}
_COMPARISONS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}
_NUMBERS, _SIZED = (int, float), (str, list, dict)
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "number": _NUMBERS,
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}

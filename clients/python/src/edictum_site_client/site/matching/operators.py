"""Compiles operators to tests. A test is false if the value is missing or of another type, and
undecided if it depends on text that was not read."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from edictum_site_client.site.matching.call import ITEM, MISSING, Call, Prefix
from edictum_site_client.site.matching.canonical import EXACT, double
from edictum_site_client.site.matching.texts import (
    Test,
    containing_any,
    ending_with,
    folded,
    starting_with,
)


class UnknownFormat(ValueError):
    """The check has a format that this code doesn't support."""


def operator_of(op: str, value: Any, *, fold: bool = False) -> Test:
    if fold:
        value = [folded(each) for each in value] if isinstance(value, list) else folded(value)
    match op:
        case "exists":
            return lambda seen, call: (seen is not MISSING and seen is not None) is value
        case "equals" | "in":
            return _among([value] if op == "equals" else value, fold=fold)
        case "not_equals" | "not_in":
            return _other_than(_among([value] if op == "not_equals" else value, fold=fold))
        case "contains" | "contains_any":
            return containing_any([value] if op == "contains" else value, fold=fold)
        case "starts_with":
            return starting_with(value, fold=fold)
        case "ends_with":
            return ending_with(value, fold=fold)
        case "gt" | "gte" | "lt" | "lte":
            return _number_test(_COMPARISONS[op], double(value))
        case "type":
            types = _TYPES[value]
            return lambda seen, call: type(seen) in types
        case "empty":
            return lambda seen, call: seen is not MISSING and _is_empty(seen) is value
        case "length":
            return _length_test(operator_of(value["op"], value["value"]))
        case _:
            raise UnknownFormat(f"The operator {op!r} is not known here.")


def _other_than(same: Test) -> Test:
    def differs(seen: Any, call: Call) -> bool | None:
        if seen is MISSING:
            return False
        truth = same(seen, call)
        return None if truth is None else not truth

    return differs


def _length_test(compare: Test) -> Test:
    def length_fits(seen: Any, call: Call) -> bool | None:
        if type(seen) in _SIZED:
            return compare(len(seen), call)
        return None if type(seen) is Prefix else False

    return length_fits


def _number_test(compare: Callable[[Any, Any], bool], bound: float) -> Test:
    exact = abs(bound) < EXACT  # then rounding larger integers makes no difference

    def number_fits(seen: Any, call: Call) -> bool:
        kind = type(seen)
        if kind is not int and kind is not float:
            return False
        return compare(seen if exact else double(seen), bound)

    return number_fits


def _among(values: Sequence[Any], *, fold: bool) -> Test:
    texts = {value for value in values if type(value) is str}
    lengths = {len(text) for text in texts}  # folding keeps them, and costs a pass over the text
    walk = max(lengths, default=0) // (1 if fold else ITEM)
    numbers = {double(value) for value in values if type(value) in _NUMBERS}
    words = {value for value in values if value is None or type(value) is bool}
    deep = [(value, _size(value)) for value in values if type(value) in (list, dict)]

    def among(seen: Any, call: Call) -> bool | None:
        kind = type(seen)
        if kind is str:
            if walk:
                call.spend(walk)
            return len(seen) in lengths and (folded(seen) if fold else seen) in texts
        if kind is int or kind is float:
            return double(seen) in numbers
        if kind is list or kind is dict:
            call.spend(ITEM * len(deep))
            undecided = False
            for value, size in deep:
                truth = _same_as(value, size, seen, call)
                if truth:
                    return True
                undecided = undecided or truth is None
            return None if undecided else False
        return None if kind is Prefix else seen in words

    return among


def _same_as(expected: Any, size: int, seen: Any, call: Call) -> bool | None:
    if type(expected) is not type(seen) or len(expected) != len(seen):
        return False
    call.spend(size)
    if type(seen) is list and any(type(each) is Prefix for each in seen):
        return None  # a list of texts, at least one of them truncated
    return _same(expected, seen)


def _size(value: Any) -> int:
    """Maximum work of comparing with this value."""
    if type(value) is str:
        return ITEM + len(value) // ITEM
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return ITEM + sum(map(_size, inner))


def _same(expected: Any, seen: Any) -> bool:
    """Deep equality with the operand."""
    if type(expected) in _NUMBERS:
        return type(seen) in _NUMBERS and double(expected) == double(seen)
    if type(expected) is not type(seen):
        return False
    if type(expected) is dict:
        return len(expected) == len(seen) and all(
            name in seen and _same(each, seen[name]) for name, each in expected.items()
        )
    if type(expected) is list:
        return len(expected) == len(seen) and all(map(_same, expected, seen))
    return bool(expected == seen)


def _is_empty(value: Any) -> bool:
    return value is None or (type(value) in _SIZED and not value)


_COMPARISONS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}
_NUMBERS, _SIZED = (int, float), (str, list, dict)
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "number": _NUMBERS,
    "string": (str, Prefix),
    "array": (list,),
    "object": (dict,),
}

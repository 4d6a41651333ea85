"""Differences between two conditions, as specific as possible: one operand if only that differs."""

from collections.abc import Callable, Iterator
from typing import Any

from governance.texts.condition_words import (
    OPERATOR_WORDS,
    SETS,
    canonical,
    comparison_in_words,
    condition_in_words,
    same_condition,
    shortened,
    value_in_words,
)

InWords = Callable[[Any], str]
Difference = tuple[
    str, str, str
]  # what differs, before, after; the last two are empty if the first says it all
_CONDITION = "condition"
_ORDER = "its conditions are in another order, which counts where a value has the wrong type"


def condition_changes(
    before: Any,
    after: Any,
    *,
    in_words: InWords = condition_in_words,
    order_counts: bool = True,
) -> Iterator[Difference]:
    if same_condition(before) != same_condition(after):
        yield from _differences(before, after, in_words)
    elif order_counts and same_condition(before, in_order=True) != same_condition(
        after, in_order=True
    ):
        yield _ORDER, "", ""


def _differences(before: Any, after: Any, in_words: InWords) -> Iterator[Difference]:
    if same_condition(before) == same_condition(after):
        return
    match before, after:
        case {"all": list() as old}, {"all": list() as new}:
            yield from _parts(old, new, "all of", in_words)
        case {"any": list() as old}, {"any": list() as new}:
            yield from _parts(old, new, "any of", in_words)
        case {"not": old}, {"not": new}:
            yield from _differences(old, new, in_words)
        case _:
            yield from _tests(before, after, in_words)


def _parts(old: list[Any], new: list[Any], what: str, in_words: InWords) -> Iterator[Difference]:
    was = {same_condition(part): part for part in old}
    now = {same_condition(part): part for part in new}
    gone = [part for form, part in was.items() if form not in now]
    come = [part for form, part in now.items() if form not in was]
    for part in list(gone):
        if twin := next((each for each in come if _compare_same(part, each)), None):
            gone.remove(part)
            come.remove(twin)
            yield from _differences(part, twin, in_words)
    if len(gone) == len(come) == 1:
        yield from _differences(gone[0], come[0], in_words)
    elif gone or come:
        yield f"{_CONDITION}, {what}", _listed(gone, in_words), _listed(come, in_words)


def _compare_same(part: Any, other: Any) -> bool:
    """Whether both compare the same selector with the same operator."""
    return _compared(part) is not None and _compared(part) == _compared(other)


def _compared(condition: Any) -> tuple[str, str] | None:
    if isinstance(condition, dict) and len(condition) == 1:
        ((selector, test),) = condition.items()
        if selector not in ("all", "any", "not") and isinstance(test, dict) and len(test) == 1:
            return selector, next(iter(test))
    return None


def _tests(before: Any, after: Any, in_words: InWords) -> Iterator[Difference]:
    compared = _compared(before)
    if compared is None or not _compare_same(before, after):
        yield _CONDITION, in_words(before), in_words(after)
        return
    selector, operator = compared
    old, new = before[selector][operator], after[selector][operator]
    what = comparison_in_words(selector, operator)
    if operator in SETS and isinstance(old, list) and isinstance(new, list):
        yield _values(what, old, new)
    elif operator not in OPERATOR_WORDS:
        yield _CONDITION, in_words(before), in_words(after)
    else:
        yield what, shortened(value_in_words(old)), shortened(value_in_words(new))


def _values(what: str, old: list[Any], new: list[Any]) -> Difference:
    was, now = {canonical(each): each for each in old}, {canonical(each): each for each in new}
    parts = []
    for verb, these, others in (("added", now, was), ("removed", was, now)):
        only = [value for form, value in these.items() if form not in others]
        if only:
            parts.append(f"{value_in_words(only)} {verb}")
    return shortened(f"{what}: {'; '.join(parts)}"), "", ""


def _listed(parts: list[Any], in_words: InWords) -> str:
    return shortened("; ".join(in_words(part) for part in parts)) or "nothing"

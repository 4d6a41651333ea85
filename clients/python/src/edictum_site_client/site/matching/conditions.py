"""Compiles a condition to a function that returns the leaf that decided, or None.

If the result depends on text that was not read, it is undecided: then neither the condition nor its
negation is true.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from edictum_site_client.site.matching.call import ITEM, MISSING, UNREAD, Call
from edictum_site_client.site.matching.operators import operator_of
from edictum_site_client.site.matching.patterns import Matches
from edictum_site_client.site.matching.selectors import Select, member_of_result, selector_of
from edictum_site_client.site.matching.texts import Test, matching_any


class Leaf(NamedTuple):
    text: str
    select: Select


Condition = Callable[[Call], Leaf | None]
Truths = Iterable[bool | None]
Decide = Callable[[Truths], bool | None]

_NO_LEAF = Leaf("", lambda call: MISSING)
UNDECIDED = Leaf("", lambda call: UNREAD)


def condition_of(condition: Mapping[str, Any], patterns: Sequence[Matches]) -> Condition:
    """Compiled condition. It returns the first leaf that was true; for a `not`, its first leaf."""
    if "all" in condition:
        return partial(_all, [condition_of(each, patterns) for each in condition["all"]])
    if "any" in condition:
        return partial(_any, [condition_of(each, patterns) for each in condition["any"]])
    if "not" in condition:
        inner = condition["not"]
        return partial(_not, condition_of(inner, patterns), _first_leaf(inner))
    return _decided_by(_leaf_of(condition), _test_of(condition, patterns), condition)


def _decided_by(leaf: Leaf, test: Test, written: Mapping[str, Any]) -> Condition:
    select = leaf.select
    name = member_of_result(written["select"])

    def exists(call: Call) -> Leaf | None:
        value = select(call)
        return UNDECIDED if value is UNREAD else leaf if test(value, call) else None

    def decided(call: Call) -> Leaf | None:
        value = select(call)
        if value is MISSING:
            return None
        truth = None if value is UNREAD else test(value, call)
        return leaf if truth else UNDECIDED if truth is None else None

    def decided_by_member(call: Call) -> Leaf | None:
        result = call.result
        if type(result) is not dict or name not in result:
            return None
        truth = test(result[name], call)
        return leaf if truth else UNDECIDED if truth is None else None

    if written["op"] == "exists":
        return exists
    return decided if name is None else decided_by_member


def _all(conditions: Sequence[Condition], call: Call) -> Leaf | None:
    deciding, undecided = _NO_LEAF, False
    for condition in conditions:
        leaf = condition(call)
        if leaf is None:
            return None
        if leaf is UNDECIDED:
            undecided = True
        elif deciding is _NO_LEAF:
            deciding = leaf
    return UNDECIDED if undecided else deciding


def _any(conditions: Sequence[Condition], call: Call) -> Leaf | None:
    undecided = None
    for condition in conditions:
        leaf = condition(call)
        if leaf is UNDECIDED:
            undecided = leaf
        elif leaf is not None:
            return leaf
    return undecided


def _not(condition: Condition, first: Leaf, call: Call) -> Leaf | None:
    leaf = condition(call)
    return first if leaf is None else leaf if leaf is UNDECIDED else None


def _first_leaf(condition: Mapping[str, Any]) -> Leaf:
    if "select" in condition:
        return _leaf_of(condition)
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    leaves = (_first_leaf(each) for each in inner or ())
    return next((leaf for leaf in leaves if leaf is not _NO_LEAF), _NO_LEAF)


def _leaf_of(condition: Mapping[str, Any]) -> Leaf:
    return Leaf(condition["text"], selector_of(condition["select"]))


def _test_of(leaf: Mapping[str, Any], patterns: Sequence[Matches]) -> Test:
    op, value = leaf["op"], leaf["value"]
    if op == "matches":
        return matching_any([patterns[value]])
    if op == "matches_any":
        return matching_any([patterns[place] for place in value])
    if op == "count_items":
        compare = operator_of(value["is"]["op"], value["is"]["value"])
        counted = Call("", None, None)
        return partial(
            _decide_on_items,
            condition_of(value["when"], patterns),
            _cost(value["when"]),
            lambda truths: None if (count := _count(truths)) is None else compare(count, counted),
        )
    if op in _ON_ITEMS:
        return partial(_decide_on_items, condition_of(value, patterns), _cost(value), _ON_ITEMS[op])
    return operator_of(op, value, fold=bool(leaf.get("ignore_case")))


def _cost(condition: Mapping[str, Any]) -> int:
    """Work per item: each leaf and each step of its paths, whatever the item is."""
    if "select" in condition:
        return ITEM + sum(1 + len(each["steps"]) for each in condition["select"])
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    return max(ITEM, sum(_cost(each) for each in inner or ()))


def _any_true(truths: Truths) -> bool | None:
    undecided = False
    for truth in truths:
        if truth:
            return True
        undecided = undecided or truth is None
    return None if undecided else False


def _all_true(truths: Truths) -> bool | None:
    undecided = False
    for truth in truths:
        if truth is False:
            return False
        undecided = undecided or truth is None
    return None if undecided else True


def _none_true(truths: Truths) -> bool | None:
    any_true = _any_true(truths)
    return None if any_true is None else not any_true


def _count(truths: Truths) -> int | None:
    count, undecided = 0, False
    for truth in truths:
        count += truth is True
        undecided = undecided or truth is None
    return None if undecided else count


_ON_ITEMS: dict[str, Decide] = {
    "any_item": _any_true,
    "every_item": _all_true,
    "no_item": _none_true,
}


def _decide_on_items(
    when: Condition, cost: int, decide: Decide, seen: Any, call: Call
) -> bool | None:
    if type(seen) is not list:
        return False
    around = call.item
    try:
        return decide(_truths(when, cost, seen, call))
    finally:
        call.item = around


def _truths(when: Condition, cost: int, items: list[Any], call: Call) -> Iterator[bool | None]:
    for call.item in items:
        call.spend(cost)
        leaf = when(call)
        yield None if leaf is UNDECIDED else leaf is not None

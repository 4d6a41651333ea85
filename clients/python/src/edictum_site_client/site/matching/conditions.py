"""From a condition to a function that answers with the leaf that decides, or with none."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from edictum_site_client.site.matching.call import ITEM, MISSING, Call
from edictum_site_client.site.matching.operators import Test, matching_any, operator_of
from edictum_site_client.site.matching.patterns import Matches
from edictum_site_client.site.matching.selectors import Select, member_of_result, selector_of


class Leaf(NamedTuple):
    text: str
    select: Select


Condition = Callable[[Call], Leaf | None]
Decide = Callable[[Iterable[bool]], bool]

_NO_LEAF = Leaf("", lambda call: MISSING)
_ON_ITEMS: dict[str, Decide] = {
    "any_item": any,
    "every_item": all,
    "no_item": lambda truths: not any(truths),
}


def condition_of(condition: Mapping[str, Any], patterns: Sequence[Matches]) -> Condition:
    """The first leaf that was true, on the way that was; inside a `not` the first one at all."""
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
    if written["op"] == "exists":
        return lambda call: leaf if test(select(call), call) else None
    name = member_of_result(written["select"])

    def decided(call: Call) -> Leaf | None:
        value = select(call)
        return leaf if value is not MISSING and test(value, call) else None

    def decided_by_member(call: Call) -> Leaf | None:
        result = call.result
        if type(result) is not dict or name not in result:
            return None
        return leaf if test(result[name], call) else None

    return decided if name is None else decided_by_member


def _all(conditions: Sequence[Condition], call: Call) -> Leaf | None:
    deciding = _NO_LEAF
    for condition in conditions:
        leaf = condition(call)
        if leaf is None:
            return None
        if deciding is _NO_LEAF:
            deciding = leaf
    return deciding


def _any(conditions: Sequence[Condition], call: Call) -> Leaf | None:
    for condition in conditions:
        leaf = condition(call)
        if leaf is not None:
            return leaf
    return None


def _not(condition: Condition, first: Leaf, call: Call) -> Leaf | None:
    return first if condition(call) is None else None


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
            _of_items,
            condition_of(value["when"], patterns),
            _cost(value["when"]),
            lambda truths: compare(sum(truths), counted),
        )
    if op in _ON_ITEMS:
        return partial(_of_items, condition_of(value, patterns), _cost(value), _ON_ITEMS[op])
    return operator_of(op, value, fold=bool(leaf.get("ignore_case")))


def _cost(condition: Mapping[str, Any]) -> int:
    """Of asking it of one item: each leaf is asked, on each of its ways, whatever stands there."""
    if "select" in condition:
        return ITEM + sum(1 + len(each["steps"]) for each in condition["select"])
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    return max(ITEM, sum(_cost(each) for each in inner or ()))


def _of_items(when: Condition, cost: int, decide: Decide, seen: Any, call: Call) -> bool:
    if type(seen) is not list:
        return False
    around = call.item
    try:
        return decide(_truths(when, cost, seen, call))
    finally:
        call.item = around


def _truths(when: Condition, cost: int, items: list[Any], call: Call) -> Iterator[bool]:
    for call.item in items:
        call.spend(cost)
        yield when(call) is not None

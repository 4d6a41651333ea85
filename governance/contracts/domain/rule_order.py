"""Finds rules that moved within a contract in a way that can matter.

An agent evaluates `pre` rules in order and stops at the first that fails, then `sandbox` rules
likewise. The order doesn't matter between rules that no call can match together, nor for other
types of rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from governance.core.ascending import longest_ascending
from governance.texts.plain_document import tools_of

ORDERED = ("pre", "sandbox")
_MOST = 200  # moved rules that are compared with all others
_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Moved:
    rule: str
    before: str
    after: str


def moved_rules(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> list[Moved]:
    moves: list[Moved] = []
    for kind in ORDERED:
        was, now = (
            [name for name, rule in rules.items() if _stays(name, kind, old, new)]
            for rules in (old, new)
        )
        moves += moved(was, now, new)
    return moves


def _stays(
    name: str,
    kind: str,
    old: Mapping[str, Mapping[str, Any]],
    new: Mapping[str, Mapping[str, Any]],
) -> bool:
    return all(name in rules and rules[name].get("type") == kind for rules in (old, new))


def moved(was: list[str], now: list[str], rules: Mapping[str, Mapping[str, Any]]) -> list[Moved]:
    """Moves between two orders of the same rules that can matter: some call may match both
    rules."""
    if was == now:
        return []
    place_before = {name: place for place, name in enumerate(was)}
    place_after = {name: place for place, name in enumerate(now)}
    in_place = {now[index] for index in longest_ascending([place_before[name] for name in now])}
    moves = []
    for name in [name for name in now if name not in in_place][:_MOST]:
        passed = [
            other
            for other in now
            if (place_before[name] < place_before[other])
            != (place_after[name] < place_after[other])
            and other != name
            and _may_meet(rules[name], rules[other])
        ]
        if passed:
            moves.append(_move(name, passed, is_earlier=place_after[name] < place_after[passed[0]]))
    return moves


def _move(name: str, passed: list[str], *, is_earlier: bool) -> Moved:
    other = passed[0] if is_earlier else passed[-1]
    words = (f"tried after `{other}`", f"tried before `{other}`")
    return Moved(name, *(words if is_earlier else reversed(words)))


def _may_meet(rule: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return any(_overlap(one, two) for one in tools_of(rule) for two in tools_of(other))


def _overlap(one: str, two: str) -> bool:
    """Whether a name can match both patterns; for two globs that is always assumed."""
    if not _GLOB & set(one):
        return fnmatchcase(one, two)
    return bool(_GLOB & set(two)) or fnmatchcase(two, one)

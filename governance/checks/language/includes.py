"""Adds the rules of included checks, each in the version that the caller resolves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

from governance.checks.language.fields import listed, name_of
from governance.checks.language.pattern_table import PatternTable
from governance.checks.language.problems import Problems
from governance.checks.language.tree import Keys, Node
from governance.core.compiled_check import Compiled, Condition, Rule

Included: TypeAlias = Callable[[str], Compiled | None]

MOST_INCLUDED: Final = 50
DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Includes:
    problems: Problems
    patterns: PatternTable
    versions: dict[str, int] = field(default_factory=dict)  # included versions by name

    def rules(self, document: Keys, name: str, included: Included) -> list[Rule]:
        rules: list[Rule] = []
        seen: set[str] = set()
        for node in listed(document, "include", self.problems, MOST_INCLUDED):
            included_name = name_of(node, self.problems)
            if included_name is None:
                continue
            if included_name in seen:
                self.problems.at(node, f"`{included_name}` is already included.")
                continue
            seen.add(included_name)
            other = self._other(node, included_name, name, included)
            if other is not None:
                self.versions[included_name] = other["version"]
                rules += self._rules_of(node, other)
        return rules

    def _other(
        self, node: Node, included_name: str, name: str, included: Included
    ) -> Compiled | None:
        if included_name == name:
            self.problems.at(node, "A check cannot include itself.")
            return None
        if included_name == DEFAULT:
            self.problems.at(
                node, "`default` applies after all rules: write `otherwise: default` instead."
            )
            return None
        other = included(included_name)
        if other is None:
            self.problems.at(node, f"No check named `{included_name}`.")
        elif inner := next((rule["of"] for rule in other["rules"] if rule["of"]), None):
            self.problems.at(
                node,
                f"`{included_name}` includes `{inner}` itself, and only one level is allowed. "
                "Copy the rules that you need.",
            )
            return None
        return other

    def _rules_of(self, node: Node, other: Compiled) -> list[Rule]:
        places = []
        for automaton in other["automata"]:
            place = self.patterns.add(automaton)
            if place is None:
                self.problems.at(
                    node,
                    f"The patterns of `{other['name']}` are too large together with those above.",
                )
                return []
            places.append(place)
        return [
            {
                **rule,
                "of": other["name"],
                "of_version": other["version"],
                "when": cast(Condition, _moved(rule["when"], places)),
            }
            for rule in other["rules"]
        ]


def fixed_in(compiled: Compiled, name: str, version: int) -> Compiled:
    """Rules that a check copied from an included one when it was saved, as a check of their own:
    the included version may no longer exist."""
    rules = [rule for rule in compiled["rules"] if rule["of"] == name]
    used = sorted({place for rule in rules for place in _places(rule["when"])})
    places = {old: new for new, old in enumerate(used)}
    return {
        **compiled,
        "name": name,
        "version": version,
        "automata": [compiled["automata"][place] for place in used],
        "rules": [
            {
                **rule,
                "of": None,
                "of_version": None,
                "when": cast(Condition, _moved(rule["when"], places)),
            }
            for rule in rules
        ],
    }


def _places(condition: Any) -> Iterator[int]:
    """Indexes of the automata that a condition uses."""
    match condition:
        case {"all": parts} | {"any": parts}:
            for part in parts:
                yield from _places(part)
        case {"not": part}:
            yield from _places(part)
        case {"op": "matches", "value": place}:
            yield place
        case {"op": "matches_any", "value": several}:
            yield from several
        case {"op": "any_item" | "every_item" | "no_item", "value": inner}:
            yield from _places(inner)
        case {"op": "count_items", "value": {"when": inner}}:
            yield from _places(inner)
        case _:
            pass


def _moved(condition: Any, places: Sequence[int] | Mapping[int, int]) -> Any:
    """The same condition with the indexes of its automata remapped."""
    match condition:
        case {"all": parts}:
            return {"all": [_moved(part, places) for part in parts]}
        case {"any": parts}:
            return {"any": [_moved(part, places) for part in parts]}
        case {"not": part}:
            return {"not": _moved(part, places)}
        case {"op": "matches", "value": place}:
            return {**condition, "value": places[place]}
        case {"op": "matches_any", "value": several}:
            return {**condition, "value": [places[place] for place in several]}
        case {"op": "any_item" | "every_item" | "no_item", "value": inner}:
            return {**condition, "value": _moved(inner, places)}
        case {"op": "count_items", "value": {"when": inner, "is": number}}:
            return {**condition, "value": {"when": _moved(inner, places), "is": number}}
        case _:
            return condition

"""Walks the conditions of a rule."""

from collections.abc import Iterator
from typing import Any

Leaf = tuple[list[str | int], str, dict[str, Any]]


def leaves(condition: Any, path: list[str | int]) -> Iterator[Leaf]:
    """Every selector with its operator, and the path of the selector."""
    match condition:
        case {"all": list() as parts} | {"any": list() as parts}:
            word = "all" if "all" in condition else "any"
            for place, part in enumerate(parts):
                yield from leaves(part, [*path, word, place])
        case {"not": part}:
            yield from leaves(part, [*path, "not"])
        case dict():
            for selector, operators in condition.items():
                if isinstance(operators, dict):
                    yield [*path, str(selector)], str(selector), operators
        case _:
            pass


def patterns(document: dict[str, Any]) -> Iterator[tuple[list[str | int], str]]:
    """Every regular expression of a valid document, with its path."""
    for place, rule in enumerate(document["rules"]):
        for path, _, operators in leaves(rule.get("when"), ["rules", place, "when"]):
            if "matches" in operators:
                yield [*path, "matches"], operators["matches"]
            for number, pattern in enumerate(operators.get("matches_any", ())):
                yield [*path, "matches_any", number], pattern

"""Parses operands to the type that their operator takes, or reports a problem."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from governance.checks.language.operators import (
    COMPARISONS,
    OPERATORS,
    TYPES,
    Takes,
    operator_meant,
    type_meant,
)
from governance.checks.language.pattern_table import PatternTable
from governance.checks.language.problems import Problems
from governance.checks.language.tree import Keys, Listing, Node, Word
from governance.checks.language.values import number_of, text_of, value_of
from governance.core.compiled_check import Comparison


@dataclass(frozen=True, slots=True)
class Operands:
    problems: Problems
    patterns: PatternTable

    def read(self, operator: str, node: Node, options: frozenset[str]) -> object:
        """Parsed operand. None if it is invalid, and also if it is a literal null."""
        match OPERATORS[operator]:
            case Takes.TRUTH:
                return self.truth(node)
            case Takes.VALUE:
                return value_of(node, self.problems)
            case Takes.VALUES:
                return self._list(node, lambda item: (value_of(item, self.problems),))
            case Takes.TEXT:
                return text_of(node, self.problems)
            case Takes.TEXTS:
                return self._list(node, lambda item: _one(text_of(item, self.problems)))
            case Takes.PATTERN:
                return self._pattern(node, options)
            case Takes.PATTERNS:
                return self._list(node, lambda item: _one(self._pattern(item, options)))
            case Takes.NUMBER:
                return number_of(node, self.problems)
            case Takes.TYPE:
                return self._type(node)
            case Takes.COMPARISON:
                return self.comparison(node)
            case Takes.ITEM | Takes.COUNT:
                raise ValueError(operator)  # their operands are conditions
            case _ as never:
                assert_never(never)

    def truth(self, node: Node) -> bool | None:
        before = len(self.problems.listed)
        value = value_of(node, self.problems)
        if isinstance(value, bool):
            return value
        if len(self.problems.listed) == before:
            self.problems.at(node, "Write true or false here.")
        return None

    def comparison(self, node: Node) -> Comparison | None:
        """Comparison of a length or a count with one number."""
        if isinstance(node, Word):
            fix = f"{{equals: {node.text}}}" if node.text.isdecimal() else ""
            self.problems.at(node, "Enter a comparison, such as `{gte: 3}`.", fix=fix)
            return None
        entries = list(node) if isinstance(node, Keys) else []
        if len(entries) != 1:
            self.problems.at(node, "Enter one comparison, such as `{gte: 3}`.")
            return None
        ((key, value),) = entries
        if key.text not in COMPARISONS:
            meant = operator_meant(key.text)
            known = ", ".join(f"`{word}`" for word in COMPARISONS)
            self.problems.at(
                key,
                f"`{key.text}` does not compare numbers. Use one of {known}.",
                fix=meant if meant in COMPARISONS else "",
            )
            return None
        number = number_of(value, self.problems)
        return None if number is None else {"op": key.text, "value": number}

    def _pattern(self, node: Node, options: frozenset[str]) -> int | None:
        return self.patterns.place_of(
            node, ignore_case="ignore_case" in options, multiline="multiline" in options
        )

    def _type(self, node: Node) -> str | None:
        word = node.text if isinstance(node, Word) else ""
        if isinstance(node, Word) and word in TYPES and (node.quoted or word != "null"):
            return word
        meant = "" if not isinstance(node, Word) else word if word in TYPES else type_meant(word)
        fix = '"null"' if meant == "null" else meant
        if word == "null":
            self.problems.at(node, 'The type is a text: write "null" in quotes.', fix=fix)
        elif fix and word:
            self.problems.at(node, f"`{word}` is not a type. Did you mean `{fix}`?", fix=fix)
        else:
            known = ", ".join(TYPES)
            self.problems.at(node, f"Enter a type: {known}.")
        return None

    def _list(
        self, node: Node, read: Callable[[Node], tuple[object, ...] | None]
    ) -> list[object] | None:
        if not isinstance(node, Listing) or not node.items:
            plain = isinstance(node, Word) and not node.quoted and bool(node.text)
            fix = f"[{node.text}]" if isinstance(node, Word) and plain else ""
            self.problems.at(node, "Enter a list, such as `[a, b]`.", fix=fix)
            return None
        read_items = [read(item) for item in node.items]
        values = [each[0] for each in read_items if each is not None]
        return values if len(values) == len(read_items) else None


def _one(value: object) -> tuple[object] | None:
    return None if value is None else (value,)

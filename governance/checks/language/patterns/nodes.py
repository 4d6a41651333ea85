"""Syntax tree of a regular expression, and the errors for rejected ones."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

HIGHEST = 0x10FFFF
Ranges: TypeAlias = tuple[tuple[int, int], ...]  # sorted and disjoint


class Reason(StrEnum):
    """Reason to reject a pattern. RE2 itself only rejects the first kind."""

    SYNTAX = "syntax"
    FLAGS = "flags"
    UNICODE_CLASS = "unicode class"
    SINGLE_BYTE = "single byte"
    GROUP_NAME = "group name"
    TOO_LONG = "too long"
    TOO_DEEP = "too deep"
    TOO_MANY_STATES = "too many states"
    TOO_LARGE = "too large"


class PatternRefused(ValueError):
    def __init__(
        self, message: str, position: int | None = None, *, reason: Reason = Reason.SYNTAX
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position  # index in the pattern
        self.reason = reason


class Edge(StrEnum):
    """Assertions about the gap between two characters."""

    TEXT_BEGINS = "text begins"
    TEXT_ENDS = "text ends"
    LINE_BEGINS = "line begins"
    LINE_ENDS = "line ends"
    WORD = "word"
    NO_WORD = "no word"


@dataclass(frozen=True)
class Character:
    ranges: Ranges
    characters = 1  # number of character nodes in this subtree
    times = 1  # product of nested counted repetitions


@dataclass(frozen=True)
class Assertion:
    edge: Edge
    characters = 0
    times = 1


@dataclass(frozen=True)
class Sequence:
    parts: tuple["Node", ...]

    @cached_property
    def characters(self) -> int:
        return sum(part.characters for part in self.parts)

    @cached_property
    def times(self) -> int:
        return max((part.times for part in self.parts), default=1)


@dataclass(frozen=True)
class Choice(Sequence):
    """Alternatives, of which one matches; in a sequence all parts do."""


@dataclass(frozen=True)
class Repetition:
    item: "Node"
    low: int
    high: int | None  # None: unbounded
    counted: bool = False  # written in braces: RE2 limits the product of nested ones

    @cached_property
    def characters(self) -> int:
        return self.item.characters

    @cached_property
    def times(self) -> int:
        own = (self.low if self.high is None else self.high) if self.counted else 1
        return self.item.times * max(own, 1)


Node: TypeAlias = Character | Assertion | Sequence | Repetition
EMPTY = Sequence(())

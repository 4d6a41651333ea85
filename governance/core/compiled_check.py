"""Compiled form of a check, format 1: all that an implementation needs, as plain JSON.

The server, the exported modules and the agents' client execute only this form.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

FORMAT = 1

Base: TypeAlias = Literal["result", "tool", "elapsed_ms", "item"]
# ["key", "name"] | ["index", -1] | ["items"] | ["values"] | ["json"] | ["text"]
Step: TypeAlias = list[str | int]


class Alternative(TypedDict):
    base: Base
    steps: list[Step]


Selector: TypeAlias = list[Alternative]  # a ?? b: the first value that is neither missing nor null


class Leaf(TypedDict):
    select: Selector
    text: str  # the selector as its author wrote it, for explanations
    op: str
    value: Any  # for `matches` and `matches_any`: indexes in `automata`
    ignore_case: NotRequired[bool]


class All(TypedDict):
    all: list["Condition"]


class AnyOf(TypedDict):
    any: list["Condition"]


Not = TypedDict("Not", {"not": "Condition"})  # `not` is a Python keyword and can't be a class field

Condition: TypeAlias = All | AnyOf | Not | Leaf


class Comparison(TypedDict):
    op: str
    value: int | float


CountItems = TypedDict("CountItems", {"when": Condition, "is": Comparison})


class SelectorPart(TypedDict):
    """Part of a reason: a value selected from the result."""

    select: Selector


class Seen(TypedDict):
    """Part of a reason: the value that the deciding condition matched."""

    value: Literal[True]


Part: TypeAlias = str | SelectorPart | Seen


class Rule(TypedDict):
    id: str
    of: str | None  # the included check that defines it; None: this check
    of_version: int | None
    tool: str
    when: Condition
    verdict: str
    reason: list[Part]
    label: str | None


class Automaton(TypedDict):
    bounds: list[int]
    classes: list[int]
    width: int
    start: int
    table: list[int]  # -1: dead; -2: accepts any remaining text
    ends: list[int]  # states that accept at the end of the text


class Compiled(TypedDict):
    format: int
    name: str
    version: int
    otherwise: str
    automata: list[Automaton]
    rules: list[Rule]

"""The compiled form of a check, format 1: all that an implementation needs, as plain JSON.

The server, the exported modules and the agents' client carry out this form and nothing else.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

FORMAT = 1

Base: TypeAlias = Literal["result", "tool", "elapsed_ms", "item"]
# ["key", "name"] | ["index", -1] | ["items"] | ["values"] | ["json"] | ["text"]
Step: TypeAlias = list[str | int]


class Alternative(TypedDict):
    base: Base
    steps: list[Step]


Selector: TypeAlias = list[Alternative]  # a ?? b: the first that is neither missing nor null


class Leaf(TypedDict):
    select: Selector
    text: str  # the selector as its author wrote it, for explanations
    op: str
    value: Any  # of `matches` and `matches_any`: places in `automata`
    ignore_case: NotRequired[bool]


class All(TypedDict):
    all: list["Condition"]


class AnyOf(TypedDict):
    any: list["Condition"]


Not = TypedDict("Not", {"not": "Condition"})  # a word of Python can be no field of a class

Condition: TypeAlias = All | AnyOf | Not | Leaf


class Comparison(TypedDict):
    op: str
    value: int | float


CountItems = TypedDict("CountItems", {"when": Condition, "is": Comparison})


class SelectorPart(TypedDict):
    """A part of a reason that is taken from the result."""

    select: Selector


class Seen(TypedDict):
    """A part of a reason: what the leaf that decided saw."""

    value: Literal[True]


Part: TypeAlias = str | SelectorPart | Seen


class Rule(TypedDict):
    id: str
    of: str | None  # the included check that it comes from
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
    table: list[int]  # -1: dead; -2: accepted whatever follows
    ends: list[int]  # states that accept where the text ends


class Compiled(TypedDict):
    format: int
    name: str
    version: int
    otherwise: str
    automata: list[Automaton]
    rules: list[Rule]

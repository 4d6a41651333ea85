"""Data of charts: rows of values, each with its style."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Style(StrEnum):
    """The last part of a class of the style sheet: `fill-…` for areas, `line-…` for lines."""

    EXECUTED = "executed"
    ARTIFACT = "artifact"
    TIMEOUT = "timeout"
    FAILURE = "failure"
    UNSEEN_FAILURE = "unseen-failure"  # it ran, and its verdict is failure
    DOUBT = "doubt"  # counted as success, suspected to be a failure
    DENIED = "denied"
    # Parts of what was denied, told apart without colour: the second, the third, all others.
    DENIED_SECOND = "denied-second"
    DENIED_THIRD = "denied-third"
    DENIED_OTHERS = "denied-others"
    OPEN = "open"
    NEUTRAL = "neutral"
    NOW = "now"
    BEFORE = "before"
    EXECUTIONS = "executions"
    REPORTED = "reported"
    CLASSIFIED = "classified"
    PROJECTED = "projected"


# Those that have a shape of their own in the sprite.
SHAPES: Final = frozenset(
    {Style.EXECUTED, Style.ARTIFACT, Style.TIMEOUT, Style.FAILURE, Style.DENIED, Style.OPEN}
)

# The address of the rows that the steps from the first to the last one count.
LinkTo = Callable[[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One value for each step; None where nothing is known."""

    name: str
    style: Style
    values: Sequence[float | None]
    total: str = ""  # in words, beside the name in the legend


def known(rows: Sequence[Series]) -> list[float]:
    return [value for row in rows for value in row.values if value is not None]


def summed(row: Series, steps: range) -> float | None:
    """Nothing is known of steps of which none has a value."""
    values = [value for step in steps if (value := row.values[step]) is not None]
    return sum(values) if values else None

"""Chart data: series of values with styles, units and scales."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, assert_never

from governance.core import figures


class Style(StrEnum):
    """Suffix of a CSS class: `fill-…` for areas, `line-…` for lines."""

    EXECUTED = "executed"
    ARTIFACT = "artifact"
    TIMEOUT = "timeout"
    FAILURE = "failure"
    UNSEEN_FAILURE = "unseen-failure"  # the call ran, and its verdict is failure
    DOUBT = "doubt"  # counted as success, suspected to be a failure
    DENIED = "denied"
    # Parts of the denied calls, distinguishable without color: the second, the third, all others.
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


# Styles with their own shape in the sprite.
SHAPES: Final = frozenset(
    {Style.EXECUTED, Style.ARTIFACT, Style.TIMEOUT, Style.FAILURE, Style.DENIED, Style.OPEN}
)

# URL of the rows that are counted in the steps from the first to the last one.
LinkTo = Callable[[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One value per step; None for a step without data."""

    name: str
    style: Style
    values: Sequence[float | None]
    total: str = ""  # text next to the name in the legend


def known(rows: Sequence[Series]) -> list[float]:
    return [value for row in rows for value in row.values if value is not None]


def summed(row: Series, steps: range) -> float | None:
    """Sum of a row over these steps, or None if none of them has a value."""
    values = [value for step in steps if (value := row.values[step]) is not None]
    return sum(values) if values else None


MOST_TICKS: Final = 5
# Bottom and step of a rate axis: it starts below the lowest value and ends at 100 %.
RATE_AXES: Final = ((0.9, 0.05), (0.8, 0.1), (0.6, 0.2), (0.0, 0.5))
_ROUND: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)  # tenths of a power of ten
_SECOND: Final = 1_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_SIXTIETHS: Final = (1, 2, 5, 10, 15, 30)
# Milliseconds: multiples of 1, 2 and 5 up to a second, then the divisions of a clock.
_DURATIONS: Final = (
    *(many * 10**power for power in range(3) for many in (1, 2, 5)),
    *(_SECOND * many for many in _SIXTIETHS),
    *(_MINUTE * many for many in _SIXTIETHS),
    *(_HOUR * many for many in (1, 2, 4, 6, 12, 24)),
)


class Unit(Enum):
    """Unit of a chart's values, which determines ticks and labels."""

    COUNT = "count"
    RATE = "rate"
    DURATION = "duration"  # milliseconds

    def say(self, value: float | None) -> str:
        match self:
            case Unit.COUNT:
                return figures.thousands(value if value is None else round(value))
            case Unit.RATE:
                return figures.percent(value)
            case Unit.DURATION:
                return figures.duration(value)
            case _:
                assert_never(self)

    def say_tick(self, value: float) -> str:
        """Label of a tick, without redundant digits."""
        match self:
            case Unit.COUNT:
                return self.say(value)
            case Unit.RATE:
                return figures.percent(value, 0)
            case Unit.DURATION:
                return figures.duration(value).replace(".0 ", " ") if value else "0"
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True)
class Scale:
    """Value scale, from the bottom of a plot to its top."""

    ticks: tuple[float, ...]

    def along(self, value: float) -> float:
        """Position of a value: 0 at the lowest tick, 1 at the highest, clamped to these."""
        bottom, top = self.ticks[0], self.ticks[-1]
        return min(max((value - bottom) / (top - bottom), 0.0), 1.0)


def scale_of(unit: Unit, values: Sequence[float], at_most: int = MOST_TICKS) -> Scale:
    """Scale that covers all values. Counts and durations start at zero, rates below the lowest."""
    match unit:
        case Unit.COUNT:
            return Scale(count_ticks(max(values, default=0), at_most))
        case Unit.DURATION:
            return Scale(duration_ticks(max(values, default=0), at_most))
        case Unit.RATE:
            return Scale(rate_ticks(min(values, default=0)))
        case _:
            assert_never(unit)


def count_ticks(most: float, at_most: int = MOST_TICKS) -> tuple[int, ...]:
    """Ticks from 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for many in (1, 2, 5):
            step = many * power
            steps = max(1, -int(-most // step))
            if steps < at_most:
                return tuple(step * place for place in range(steps + 1))
        power *= 10


def round_above(most: float) -> int:
    """Smallest round number that is not below `most`."""
    power: int = 10 ** (len(str(int(most))) - 1)
    tops = (tenths * power for tenths in _ROUND if tenths * power % 10 == 0)
    return next(top // 10 for top in tops if top >= 10 * most)


def duration_ticks(most: float, at_most: int = MOST_TICKS) -> tuple[int, ...]:
    for step in _DURATIONS:
        steps = max(1, -int(-most // step))
        if steps < at_most:
            return tuple(step * place for place in range(steps + 1))
    day = 24 * _HOUR
    return tuple(day * days for days in count_ticks(most / day, at_most))


def rate_ticks(lowest: float) -> tuple[float, ...]:
    bottom, step = next(axis for axis in RATE_AXES if axis[0] <= max(lowest, 0.0))
    return tuple(round(bottom + step * n, 2) for n in range(round((1 - bottom) / step) + 1))

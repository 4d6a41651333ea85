"""Counts of a session limit over the call number: executions, and successes as reported and as
classified."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from governance.core.figures import thousands
from outcomes.charts.axes import NumberAxis
from outcomes.charts.lines import Ahead, Level, Point, lines
from outcomes.charts.series import Series, Style

_APART: Final = 0.12  # share of the calls
_FURTHEST: Final = 2  # longest projection drawn, in multiples of the calls made


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """Running count after each call, in call order."""

    name: str
    style: Style
    counts: Sequence[int]

    def reached(self, limit: int) -> int | None:
        """Step at which the limit was hit, or None."""
        return next((step for step, count in enumerate(self.counts) if count >= limit), None)


def countings(
    rows: Sequence[Counting],
    *,
    limit: int,
    name: str,
    says: str,
    projected: Counting | None = None,
    first: int = 1,
    height: float = 150,
) -> SafeString:
    """Line chart of counts with a ring where each hits the limit. `projected` continues as a dashed
    line, as if all further calls succeeded."""
    calls = max((len(row.counts) for row in rows), default=0)
    ahead, points, missing = [], [], 0
    if projected and projected.counts:
        missing = limit - projected.counts[-1]
    if projected and 0 < missing <= calls * _FURTHEST:
        last, count, style = len(projected.counts) - 1, projected.counts[-1], projected.style
        then = last + missing
        ahead.append(
            Ahead(
                name="if every further call succeeded",
                from_step=last,
                from_value=count,
                step=then,
                value=limit,
            )
        )
        # If the labels would overlap, only the projection gets one, as it matters more.
        is_close = missing < calls * _APART
        count_words = "" if is_close else thousands(count)
        points.append(Point(step=last, value=count, style=style, words=count_words, above=False))
        words_ahead = thousands(first + then)
        points.append(
            Point(step=then, value=limit, style=style, words=words_ahead, above=not is_close)
        )
    else:
        missing = 0
    reached = [(step, row) for row in rows if (step := row.reached(limit)) is not None]
    for place, (step, row) in enumerate(sorted(reached, key=lambda each: each[0])):
        call = thousands(first + step)
        words = call if place else f"{row.name} reach {thousands(limit)} at call {call}"
        points.append(Point(step=step, value=limit, style=row.style, words=words, above=not place))
    axis = NumberAxis(count=calls + missing, first=first)
    series = [
        Series(
            name=row.name,
            style=row.style,
            values=[*row.counts, *([None] * (len(axis) - len(row.counts)))],
        )
        for row in rows
    ]
    return lines(
        axis,
        series,
        name=name,
        says=says,
        height=height,
        levels=[Level(value=limit)],
        points=points,
        ahead=ahead,
        empty="No call was counted",
    )

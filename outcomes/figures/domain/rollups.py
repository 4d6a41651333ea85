"""Rollups that cover a period: UTC days, hours, quarters and minutes, the coarsest first.

Times in this module are whole minutes since 1970.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from outcomes.core.moments import minute_of

MINUTE, QUARTER, HOUR, DAY = 1, 15, 60, 1_440
STEPS: Final = (MINUTE, QUARTER, HOUR, DAY)
COARSE: Final = (QUARTER, HOUR, DAY)  # steps with a separate row for each tool and agent
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_A_MINUTE: Final = timedelta(minutes=1)


class Run(NamedTuple):
    """Consecutive rollups of one step, open-ended if the period is."""

    step: int
    first: int | None
    end: int | None

    def starts(self) -> range:
        assert self.first is not None  # noqa: S101 - only runs of closed times are listed
        assert self.end is not None  # noqa: S101
        return range(self.first, self.end, self.step)


def day_minute(at: datetime) -> int:
    """First minute of this moment's UTC day."""
    return minute_of(at) // DAY * DAY


def time_of(minute: int) -> datetime:
    return _EPOCH + minute * _A_MINUTE


def runs(first: int | None, end: int | None, coarsest: int = DAY) -> list[Run]:
    """Fewest rollups that cover exactly this period."""
    parts: list[Run] = []
    _cut(parts, first, end, [step for step in STEPS if step <= coarsest])
    return parts


def _cut(parts: list[Run], first: int | None, end: int | None, steps: list[int]) -> None:
    if first is not None and end is not None and first >= end:
        return
    *finer, step = steps
    step_first = None if first is None else -(-first // step) * step
    step_end = None if end is None else end // step * step
    if step_first is not None and step_end is not None and step_first >= step_end:
        _cut(parts, first, end, finer)
        return
    if first != step_first:
        _cut(parts, first, step_first, finer)
    parts.append(Run(step, step_first, step_end))
    if end != step_end:
        _cut(parts, step_end, end, finer)


def joined(parts: Iterable[Run]) -> list[Run]:
    """Adjacent runs merged, sorted by step, then by time."""
    merged: list[Run] = []
    for run in sorted(parts, key=lambda part: (part.step, part.first or 0)):
        last = merged[-1] if merged else None
        if last is not None and last.step == run.step and last.end == run.first:
            merged[-1] = last._replace(end=run.end)
        else:
            merged.append(run)
    return merged

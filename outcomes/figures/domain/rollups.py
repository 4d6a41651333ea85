"""Which rollups a time is made of: days, hours, quarters and minutes of UTC, the coarsest first.

Times are whole minutes since 1970 here.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

MINUTE, QUARTER, HOUR, DAY = 1, 15, 60, 1_440
STEPS: Final = (MINUTE, QUARTER, HOUR, DAY)
COARSE: Final = (QUARTER, HOUR, DAY)  # those that have rows of their own for each tool and agent
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_A_MINUTE: Final = timedelta(minutes=1)


class Run(NamedTuple):
    """Rollups of one step, one after the other; without an end where the time has none."""

    step: int
    first: int | None
    end: int | None

    def starts(self) -> range:
        assert self.first is not None  # noqa: S101 - only runs of closed times are listed
        assert self.end is not None  # noqa: S101
        return range(self.first, self.end, self.step)


def minute_of(at: datetime) -> int:
    return int(at.timestamp()) // 60


def time_of(minute: int) -> datetime:
    return _EPOCH + minute * _A_MINUTE


def runs(first: int | None, end: int | None, coarsest: int = DAY) -> list[Run]:
    """The fewest rollups that are this time exactly: none says what happened outside of it."""
    found: list[Run] = []
    _cut(found, first, end, [step for step in STEPS if step <= coarsest])
    return found


def _cut(found: list[Run], first: int | None, end: int | None, steps: list[int]) -> None:
    if first is not None and end is not None and first >= end:
        return
    *finer, step = steps
    whole_first = None if first is None else -(-first // step) * step
    whole_end = None if end is None else end // step * step
    if whole_first is not None and whole_end is not None and whole_first >= whole_end:
        _cut(found, first, end, finer)
        return
    if first != whole_first:
        _cut(found, first, whole_first, finer)
    found.append(Run(step, whole_first, whole_end))
    if end != whole_end:
        _cut(found, whole_end, end, finer)


def joined(found: Iterable[Run]) -> list[Run]:
    """With those that follow one another made one; by step, in the order of time."""
    whole: list[Run] = []
    for run in sorted(found, key=lambda each: (each.step, each.first or 0)):
        last = whole[-1] if whole else None
        if last is not None and last.step == run.step and last.end == run.first:
            whole[-1] = last._replace(end=run.end)
        else:
            whole.append(run)
    return whole

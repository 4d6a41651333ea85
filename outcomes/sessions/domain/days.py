"""Days of a period that are counted already, and the stretches that are not."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from outcomes.core.moments import day_of

DAY: Final = timedelta(days=1)
# A call's timestamp may be a day ahead of the clock, and a worker settling at midnight may have
# read the clock before.
OVER_AFTER: Final = 2  # days until a day is counted
MARKED_FROM: Final = 1  # days until changes to a day are recorded
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)

Stretch = tuple[datetime | None, datetime | None]


def start_of(day: int) -> datetime:
    return _FIRST + day * DAY


@dataclass(frozen=True, slots=True)
class Covered:
    days: list[int]  # counted, and entirely within the period
    uncounted: list[Stretch]  # the rest of the period


def covered(
    since: datetime | None,
    until: datetime | None,
    counted: Collection[int],
    changed: Collection[int],
) -> Covered:
    """Split a period into counted days and the rest. Up to the newest counted day, a day that is
    neither counted nor changed has no sessions."""
    if not counted:
        return Covered([], [(since, until)])
    last = max(counted)
    days = [
        day
        for day in sorted(counted)
        if day not in changed
        and (since is None or start_of(day) >= since)
        and (until is None or start_of(day + 1) <= until)
    ]
    # The rest: changed days, partial days at the ends of the period, and days not counted yet.
    parts = {day_of(moment) for moment in (since, until) if moment is not None}
    read = {day for day in parts | set(changed) if day <= last}.difference(days)
    stretches: list[Stretch] = [(start_of(day), start_of(day + 1)) for day in sorted(read)]
    return Covered(days, list(_within(since, until, [*stretches, (start_of(last + 1), None)])))


def _within(
    since: datetime | None, until: datetime | None, stretches: Iterable[Stretch]
) -> Iterable[Stretch]:
    for start, end in stretches:
        starts = start if since is None or (start is not None and start > since) else since
        ends = end if until is None or (end is not None and end < until) else until
        if starts is None or ends is None or starts < ends:
            yield starts, ends

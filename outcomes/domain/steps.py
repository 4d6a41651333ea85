"""Steps of time that charts are drawn in: they begin where the reader's own clock is round."""

from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final


class Step(StrEnum):
    MINUTE = "minute"
    QUARTER = "quarter"  # of an hour
    HOUR = "hour"
    DAY = "day"


# The finest step for a stretch of up to this length: some dozens of columns, and no more than fit.
_UP_TO: Final = (
    (timedelta(hours=2), Step.MINUTE),
    (timedelta(hours=12), Step.QUARTER),
    (timedelta(days=4), Step.HOUR),
)
_MINUTES: Final = {Step.MINUTE: 1, Step.QUARTER: 15, Step.HOUR: 60}


def step_for(length: timedelta) -> Step:
    return next((step for most, step in _UP_TO if length <= most), Step.DAY)


def edges_between(since: datetime, until: datetime, step: Step, zone: tzinfo) -> list[datetime]:
    """Where the steps begin, in UTC, and the end of the last. The first and the last end where
    the stretch does, so that they count nothing that is not in it."""
    edges = [since.astimezone(UTC)]
    while (after := _next(edges[-1], step, zone)) < until:
        edges.append(after)
    return [*edges, until.astimezone(UTC)]


def _next(moment: datetime, step: Step, zone: tzinfo) -> datetime:
    local = moment.astimezone(zone)
    if step is Step.DAY:
        day = local + timedelta(days=1)
        # Where a clock goes over midnight, this is the first moment of the day.
        return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    minutes = _MINUTES[step]
    into = timedelta(minutes=local.minute % minutes, seconds=local.second)
    return moment + timedelta(minutes=minutes) - into

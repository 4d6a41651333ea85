"""Steps of time as a reader's own clock has them: minutes, quarters of an hour, hours and days."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from typing import Final

_DAY: Final = timedelta(days=1)


class Step(IntEnum):
    """In seconds; a day is what the clock of its zone makes of it."""

    MINUTE = 60
    QUARTER = 900
    HOUR = 3_600
    DAY = 86_400


@dataclass(frozen=True, slots=True)
class Span:
    """From its start on, and before its end; both in UTC."""

    start: datetime
    end: datetime


def spans(since: datetime, until: datetime, step: Step, zone: tzinfo = UTC) -> list[Span]:
    """All of that time in steps; the first and the last one end where the time does."""
    found = []
    start = since.astimezone(UTC)
    until = until.astimezone(UTC)
    while start < until:
        end = min(_next(start, step, zone), until)
        found.append(Span(start, end))
        start = end
    return found


def step_begin(at: datetime, step: Step, zone: tzinfo = UTC) -> datetime:
    """Where the step begins that this moment lies in."""
    local = at.astimezone(zone)
    if step is Step.DAY:
        return _midnight(local, zone)
    passed = timedelta(
        seconds=(local.minute * 60 + local.second) % step, microseconds=local.microsecond
    )
    return at.astimezone(UTC) - passed


def _next(at: datetime, step: Step, zone: tzinfo) -> datetime:
    if step is Step.DAY:
        local = at.astimezone(zone)
        return _midnight(local.replace(tzinfo=None) + _DAY, zone)
    end = step_begin(at, step, zone) + timedelta(seconds=step)
    # Where the clock is moved by a part of the step, a step is cut short there.
    again = step_begin(end, step, zone)
    return again if at < again < end else end


def _midnight(local: datetime, zone: tzinfo) -> datetime:
    """Where a day has no midnight, because the clock went over it, its first moment."""
    day = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone, fold=0)
    return day.astimezone(UTC)

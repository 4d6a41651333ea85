"""Steps of time as a reader's own clock has them: minutes, quarters of an hour, hours and days."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from typing import Final

_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


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
    steps = []
    start = since.astimezone(UTC)
    until = until.astimezone(UTC)
    while start < until:
        end = min(_next(start, step, zone), until)
        steps.append(Span(start, end))
        start = end
    return steps


def _next(at: datetime, step: Step, zone: tzinfo) -> datetime:
    """When the clock next reads a whole step. One that is moved by half an hour (Lord Howe Island)
    makes a step of an hour and a half there, not two that begin at no whole hour."""
    if step is Step.DAY:
        local = at.astimezone(zone)
        return _midnight(local.replace(tzinfo=None) + _DAY, zone)
    # Since before any call, clocks stand quarters of an hour apart, and are moved by quarters.
    part = timedelta(seconds=min(step, Step.QUARTER))
    end = at - (at - _EPOCH) % part + part
    while (end.astimezone(zone).minute * 60) % step:
        end += part
    return end


def _midnight(local: datetime, zone: tzinfo) -> datetime:
    """First moment of a day, also where a clock change removed midnight."""
    day = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone, fold=0)
    return day.astimezone(UTC)

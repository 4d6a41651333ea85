"""Times in URLs and form fields, chart steps in a reader's time zone, and named time zones."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from typing import Final
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)
_LONGEST_NAME = 64  # characters of a zone's name


def time_from(text: str) -> datetime | None:
    """Time parsed to the minute. None if invalid, so that hand-written URLs still work."""
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return to_the_minute(moment)


def to_the_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def after_the_minute(moment: datetime) -> datetime:
    """End of the current minute, so that current events are included."""
    return to_the_minute(moment) + _MINUTE


def time_text(moment: datetime | None) -> str:
    """Time formatted for a URL: 2026-11-18T09:30Z."""
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}Z"


def zone_named(name: str) -> tzinfo:
    """Named time zone, or UTC if there is none. Browsers send the name, so it can be anything."""
    if not name or len(name) > _LONGEST_NAME:
        return UTC
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return UTC


def micros_of(at: datetime) -> int:
    """Whole microseconds since 1970."""
    return (at - _BEGINNING) // _ONE


def moment_of(micros: int) -> datetime:
    return _BEGINNING + micros * _ONE


def minute_of(at: datetime) -> int:
    """Whole minutes since 1970."""
    return int(at.timestamp()) // 60


def day_of(at: datetime) -> int:
    """Whole days since 1970, in UTC."""
    return (at - _BEGINNING) // _DAY


class Step(IntEnum):
    """Chart step in seconds. The length of a day depends on its time zone."""

    MINUTE = 60
    QUARTER = 900
    HOUR = 3_600
    DAY = 86_400


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open period in UTC: `start` is included, `end` is not."""

    start: datetime
    end: datetime


def spans(since: datetime, until: datetime, step: Step, zone: tzinfo = UTC) -> list[Span]:
    """Period split into steps. The first and last are cut off at the period's bounds."""
    steps = []
    start = since.astimezone(UTC)
    until = until.astimezone(UTC)
    while start < until:
        end = min(_next(start, step, zone), until)
        steps.append(Span(start, end))
        start = end
    return steps


def _next(at: datetime, step: Step, zone: tzinfo) -> datetime:
    """End of the step that contains this time, on the local clock. A half-hour clock change (Lord
    Howe Island) makes one step of 90 minutes, not two that start off the hour."""
    if step is Step.DAY:
        local = at.astimezone(zone)
        return _midnight(local.replace(tzinfo=None) + _DAY, zone)
    # All UTC offsets and clock changes since 2000 are multiples of a quarter hour.
    part = timedelta(seconds=min(step, Step.QUARTER))
    end = at - (at - _BEGINNING) % part + part
    while (end.astimezone(zone).minute * 60) % step:
        end += part
    return end


def _midnight(local: datetime, zone: tzinfo) -> datetime:
    """First moment of a day, even if a clock change skipped midnight."""
    day = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone, fold=0)
    return day.astimezone(UTC)

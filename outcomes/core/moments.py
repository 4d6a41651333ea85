"""Times in addresses and fields, steps of a reader's clock, and named time zones."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from typing import Final
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE: Final = timedelta(microseconds=1)
_DAY: Final = timedelta(days=1)
_LONGEST_NAME = 64  # of a zone


def time_from(text: str) -> datetime | None:
    """None for what is no time, so that an address written by hand still leads somewhere."""
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
    """As an address has it: 2026-11-18T09:30Z."""
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}Z"


def zone_named(name: str) -> tzinfo:
    """UTC for what is no zone. Names come from browsers, so anything may be sent as one."""
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
    """Step in seconds; the length of a day depends on its time zone."""

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
    end = at - (at - _BEGINNING) % part + part
    while (end.astimezone(zone).minute * 60) % step:
        end += part
    return end


def _midnight(local: datetime, zone: tzinfo) -> datetime:
    """First moment of a day, also where a clock change removed midnight."""
    day = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone, fold=0)
    return day.astimezone(UTC)

"""Times as addresses and fields have them: to the minute, in UTC unless they say otherwise; and
the zones that readers name."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE: Final = timedelta(microseconds=1)
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
    """The end of the minute that goes on, so that what happens now is part of it."""
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

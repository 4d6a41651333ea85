"""Moments as whole microseconds since 1970, and back."""

from datetime import UTC, datetime, timedelta
from typing import Final

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE: Final = timedelta(microseconds=1)


def micros_of(at: datetime) -> int:
    return (at - _BEGINNING) // _ONE


def moment_of(micros: int) -> datetime:
    return _BEGINNING + micros * _ONE

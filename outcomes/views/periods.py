"""Times as addresses and fields have them: to the minute, in UTC unless they say otherwise."""

from datetime import UTC, datetime


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


def time_text(moment: datetime | None) -> str:
    """As an address has it: 2026-11-18T09:30Z."""
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}Z"

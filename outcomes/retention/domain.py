"""Retention rules: kinds of data, how many days each is kept, and valid combinations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from governance.core.errors import InvalidInput


class Kind(StrEnum):
    PAYLOADS = "payloads"
    ARTIFACTS = "artifacts"
    CALLS = "calls"
    ROLLUPS = "rollups"
    APPROVALS = "approvals"
    REJECTED = "rejected"
    AUDIT = "audit"


FOREVER: Final = None
# Days. A duplicate event is detected only while its call is stored, so calls are kept for a week.
SHORTEST: Final[Mapping[Kind, int]] = {Kind.CALLS: 7, Kind.ROLLUPS: 7, Kind.AUDIT: 30}
LONGEST: Final = 36_500
DEFAULTS: Final[Mapping[Kind, int | None]] = {
    Kind.PAYLOADS: 90,
    Kind.ARTIFACTS: 90,
    Kind.CALLS: 400,
    Kind.ROLLUPS: FOREVER,
    Kind.APPROVALS: 90,
    Kind.REJECTED: 30,
    Kind.AUDIT: FOREVER,
}
# Stored once for all environments of a project.
OF_PROJECT: Final = frozenset({Kind.ARTIFACTS, Kind.AUDIT})

Rules = Mapping[Kind, int | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Days that one kind of data is kept in a project or environment, and the origin of the
    rule."""

    kind: Kind
    days: int | None
    is_own: bool  # set for this environment, or for the project itself
    is_default: bool


def cutoff(days: int | None, now: datetime) -> datetime | None:
    """Time before which data is due, or None if it is kept forever."""
    return None if days is None else now - timedelta(days=days)


def kind_named(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise InvalidInput.at("kind", f"The kind is one of {', '.join(Kind)}.") from None


def refuse_days(kind: Kind, days: int | None) -> None:
    least = SHORTEST.get(kind, 1)
    if days is not None and not least <= days <= LONGEST:
        message = f"Keep {kind} for {least:,} to {LONGEST:,} days, or forever."
        raise InvalidInput.at("days", message)


def refuse_misfit(rules: Rules) -> None:
    """Reject rules under which a page would show less than is stored."""
    calls, rollups, payloads = rules[Kind.CALLS], rules[Kind.ROLLUPS], rules[Kind.PAYLOADS]
    if _is_longer(calls, rollups):
        raise InvalidInput.at("days", "Rollups must be kept at least as long as calls.")
    if payloads is not None and _is_longer(payloads, calls):
        raise InvalidInput.at("days", "Payloads cannot be kept longer than their calls.")


def _is_longer(one: int | None, other: int | None) -> bool:
    if other is None:
        return False
    return one is None or one > other

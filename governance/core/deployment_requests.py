"""What an environment asks for before a version goes live there, and what becomes of a request."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

REQUEST_LASTS: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Something that holds a deployment back, in a sentence that says what to do."""

    code: str
    why: str
    overridable: bool = False  # by an admin who gives a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """What one environment asks for."""

    second_person: bool = False
    max_newly_denied: int | None = None  # in a backtest of exactly these bytes; none: no backtest

    @property
    def anything(self) -> bool:
        return self.second_person or self.max_newly_denied is not None

    def backtest(self, newly_denied: int | None, environment: str) -> Blocked | None:
        """What is wrong with a backtest that found so many; none was run when that is None."""
        if self.max_newly_denied is None:
            return None
        if newly_denied is None:
            why = (
                f"{environment} takes a finished backtest of exactly these bytes first, and none"
                " was run: run one there."
            )
            return Blocked(code="backtest_required", why=why)
        if newly_denied <= self.max_newly_denied:
            return None
        most = self.max_newly_denied
        why = (
            f"The backtest of these bytes newly denies {newly_denied:,}"
            f" call{'' if newly_denied == 1 else 's'}; {environment} takes at most {most:,}."
            " Change the contract, or let an admin change what is required."
        )
        return Blocked(code="backtest_denies", why=why)


NOTHING_REQUIRED: Final = Required()


class RequestStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    VOID = "void"  # the bundle moved on: what was asked for is not what would be meant now
    EXPIRED = "expired"


def request_status(kept: RequestStatus, expires_at: datetime, now: datetime) -> RequestStatus:
    """A request whose time is over has expired, whether or not anybody wrote that down."""
    if kept is RequestStatus.PENDING and expires_at <= now:
        return RequestStatus.EXPIRED
    return kept

"""Requirements of an environment before a deployment, and the status of a deployment request."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

REQUEST_LASTS: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Reason that blocks a deployment, with what to do next."""

    code: str
    why: str
    overridable: bool = False  # by an admin with a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """Requirements of one environment."""

    second_person: bool = False
    max_newly_denied: int | None = None  # in a backtest of these bytes; None: not required

    @property
    def anything(self) -> bool:
        return self.second_person or self.max_newly_denied is not None

    def backtest(self, newly_denied: int | None, environment: str) -> Blocked | None:
        """Why a backtest is insufficient, or None. `newly_denied` is None if there was none."""
        if self.max_newly_denied is None:
            return None
        if newly_denied is None:
            why = (
                f"{environment} requires a finished backtest of this exact version. Run one there"
                " first."
            )
            return Blocked(code="backtest_required", why=why)
        if newly_denied <= self.max_newly_denied:
            return None
        most = self.max_newly_denied
        why = (
            f"The backtest of this version newly denies {newly_denied:,}"
            f" call{'' if newly_denied == 1 else 's'}; {environment} allows at most {most:,}."
            " Change the contract, or ask an admin to change the limit."
        )
        return Blocked(code="backtest_denies", why=why)


NOTHING_REQUIRED: Final = Required()


class RequestStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    VOID = "void"  # the bundle has changed since the request
    EXPIRED = "expired"


def request_status(stored: RequestStatus, expires_at: datetime, now: datetime) -> RequestStatus:
    """Status at a time; a pending request past its end is expired, even if not stored as such."""
    if stored is RequestStatus.PENDING and expires_at <= now:
        return RequestStatus.EXPIRED
    return stored

"""Status of an approval, and an argument as shown to people."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from governance.core.masking import MASK

FOLDED_FROM: Final = 240  # characters; a longer text is collapsed to its beginning
BEGINS_WITH: Final = 120


class Status(StrEnum):
    """Status values that every version of the SDKs understands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    TIMEOUT = "timeout"


class OnTimeout(StrEnum):
    """Action of an agent without a decision. Agents report it; the console only shows it."""

    BLOCK = "block"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownArgument:
    name: str
    text: str  # the value as JSON, its secrets masked
    masked: bool
    length: int  # before truncation

    @property
    def is_cut(self) -> bool:
        return self.length > len(self.text)

    @property
    def beginning(self) -> str:
        """Start of a long text; empty for a short one, which is shown in full."""
        return self.text[:BEGINS_WITH] if len(self.text) > FOLDED_FROM else ""

    @property
    def is_wholly_masked(self) -> bool:
        return self.text == f'"{MASK}"'


def status_at(status: Status, ends_at: datetime, now: datetime) -> Status:
    """Status at a time, as the agent sees it.

    A decision takes effect at `ends_at`. A pending approval past it counts as expired, with no
    write needed.
    """
    if ends_at > now:
        return Status.PENDING
    return Status.TIMEOUT if status is Status.PENDING else status

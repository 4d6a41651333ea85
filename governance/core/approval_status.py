"""How an approval stands, and an argument as a person sees it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from governance.core.masking import MASK

FOLDED_FROM: Final = 240  # characters; what is longer begins with fewer and opens
BEGINS_WITH: Final = 120


class Status(StrEnum):
    """In the words that every version of the SDKs understands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    TIMEOUT = "timeout"


class OnTimeout(StrEnum):
    """What the agent does when nobody decides; it says so itself, and we only show it."""

    BLOCK = "block"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownArgument:
    name: str
    text: str  # the value as JSON, its secrets masked
    masked: bool
    length: int  # of the text before it was cut

    @property
    def is_cut(self) -> bool:
        return self.length > len(self.text)

    @property
    def beginning(self) -> str:
        """Of a long one as much as tells what it is; empty: it is short, so all of it shows."""
        return self.text[:BEGINS_WITH] if len(self.text) > FOLDED_FROM else ""

    @property
    def is_wholly_masked(self) -> bool:
        return self.text == f'"{MASK}"'


def status_at(status: Status, ends_at: datetime, now: datetime) -> Status:
    """Nobody has to write that time ran out for it to have run out."""
    if status is Status.PENDING and ends_at <= now:
        return Status.TIMEOUT
    return status

"""When the same call of a session, denied again and again, is a loop, and how bad a one.

The same is what its tool and its arguments are, in whichever turn; a call whose arguments nobody
reported is like no other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

ENDLESS: Final = 20  # times: no agent does so on purpose
STILL: Final = timedelta(minutes=5)  # since the last time, and it goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The longest one of a session."""

    session_id: str
    environment: str
    agent: str
    tool: str
    rule: str
    reason: str
    times: int
    first_at: datetime
    last_at: datetime
    call_id: str  # of the last one

    @property
    def lasted(self) -> timedelta:
        return self.last_at - self.first_at

    def goes_on(self, now: datetime) -> bool:
        return self.last_at > now - STILL

"""Denial loops: a session's call that was denied repeatedly, and how severe that is.

Calls are the same if they have the same tool and arguments, in any turn; a call without reported
arguments equals no other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

ENDLESS: Final = 20  # denials; no agent repeats a call that often on purpose
STILL: Final = timedelta(minutes=5)  # after its last denial, a loop counts as ongoing this long


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Longest denial loop of a session."""

    session_id: str
    environment: str
    agent: str
    tool: str
    rule: str
    reason: str
    times: int
    first_at: datetime
    last_at: datetime
    call_id: str  # of the last denial

    @property
    def lasted(self) -> timedelta:
        return self.last_at - self.first_at

    def goes_on(self, now: datetime) -> bool:
        return self.last_at > now - STILL

"""Sample of the calls that a backtest would change: the first ones, then some of each group.

A backtest of a million calls may change a million. They are counted exactly elsewhere; this sample
is large enough that every figure can link to calls behind it.
"""

from collections import Counter
from enum import StrEnum
from typing import Final, NamedTuple

FIRST: Final = 10_000  # added regardless of group
OF_GROUP: Final = 100  # per change and rule, tool, agent or session
MOST: Final = 20_000
DRIFT: Final = "drift"


class Change(StrEnum):
    """Effect of a backtest on a call; every replayed call has exactly one."""

    NEWLY_DENIED = "newly_denied"
    NEWLY_ALLOWED = "newly_allowed"
    NEWLY_ASKING = "newly_asking"
    CHANGED = "changed"
    UNDETERMINED = "undetermined"
    UNCHANGED = "unchanged"


class Changed(NamedTuple):
    call: int  # its row's id
    at: int  # microseconds
    change: str
    behind: str  # rule that causes the change
    was: str
    was_rule: str
    now: str
    rule: str  # rule that decides now
    output: str
    tool: str
    agent: str
    session: str  # environment/session_id; empty without a session


class ChangedCallSample:
    def __init__(self) -> None:
        self.calls: list[Changed] = []
        self._of_group: Counter[tuple[str, str, str]] = Counter()

    def __len__(self) -> int:
        return len(self.calls)

    def offer(self, call: Changed) -> None:
        if len(self.calls) >= MOST:
            return
        groups = _groups(call)
        if len(self.calls) >= FIRST and all(self._of_group[each] >= OF_GROUP for each in groups):
            return
        self._of_group.update(groups)
        self.calls.append(call)


def _groups(call: Changed) -> list[tuple[str, str, str]]:
    named = (("rule", call.behind), ("tool", call.tool), ("agent", call.agent))
    groups = [(call.change, kind, name) for kind, name in named]
    return [*groups, (call.change, "session", call.session)] if call.session else groups

"""The changed calls of a backtest one by one: all of few, of many the first and some of each group.

What comes out of a million calls may be a million changes. They are counted exactly elsewhere; here
so many stay that whoever follows a figure finds the calls that are behind it.
"""

from collections import Counter
from enum import StrEnum
from typing import Final, NamedTuple

FIRST: Final = 10_000  # whatever they are
OF_GROUP: Final = 100  # of one change of a rule, a tool, an agent, a session
MOST: Final = 20_000
DRIFT: Final = "drift"


class Change(StrEnum):
    """Every replayed call is exactly one of these."""

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
    behind: str  # the rule that the difference comes from
    was: str
    was_rule: str
    now: str
    rule: str  # that decides now
    output: str
    tool: str
    agent: str
    session: str  # with its environment; empty: none


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

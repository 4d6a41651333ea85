"""The attempts of one logical call: a tool asked the same again because it did not work. Within a
turn that follows from what became of the calls; beyond it, or where a check saw no failure, an
agent says it by naming the call that it tries again as the parent."""

from collections.abc import Sequence
from typing import NamedTuple

from outcomes.domain.outcome import ToolArtifactReference, ToolExecutionResult

_RAN = (ToolExecutionResult.kind, ToolArtifactReference.kind)


class SameCall(NamedTuple):
    """A call with the tool and the arguments of the others."""

    id: int
    call_id: str
    kind: str
    reason: str
    verdict: str
    elapsed_ms: float | None
    turn_id: str = ""
    parent: str | None = None  # the id of another call, as far as it was looked at

    @property
    def worked(self) -> bool:
        return self.kind in _RAN and self.verdict != "failure"


def attempts_of_one(calls: Sequence[SameCall], one: int) -> list[SameCall]:
    """Of its turn, and those that name each other, directly or by way of others."""
    turn = next((call.turn_id for call in calls if call.id == one), "")
    in_turn = attempts_with([call for call in calls if call.turn_id == turn], one)
    found = {one} | {call.id for call in in_turn}
    grown = 0
    while grown != len(found):
        grown = len(found)
        ids = {call.call_id for call in calls if call.id in found}
        named = {call.parent for call in calls if call.id in found}
        found |= {call.id for call in calls if call.parent in ids or call.call_id in named}
    return [call for call in calls if call.id in found] if len(found) > 1 else []


def attempts_with(calls: Sequence[SameCall], one: int) -> list[SameCall]:
    """Those that this one belongs to, in their order: a call that worked is the last attempt.

    None where it is the only one: nothing was tried again.
    """
    found: list[SameCall] = []
    for call in calls:
        found.append(call)
        if call.worked:
            if any(each.id == one for each in found):
                break
            found = []
    is_there = any(each.id == one for each in found)
    return found if is_there and len(found) > 1 else []

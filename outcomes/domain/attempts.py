"""The attempts of one logical call: a tool asked the same again because it did not work."""

from collections.abc import Sequence
from typing import NamedTuple

from outcomes.domain.outcome import ToolArtifactReference, ToolExecutionResult

_RAN = (ToolExecutionResult.kind, ToolArtifactReference.kind)


class SameCall(NamedTuple):
    """A call of one turn with the tool and the arguments of the others."""

    id: int
    call_id: str
    kind: str
    reason: str
    verdict: str
    elapsed_ms: float | None

    @property
    def worked(self) -> bool:
        return self.kind in _RAN and self.verdict != "failure"


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

"""The attempts of one logical call: a tool asked again because it did not work. Within a turn that
follows from the same arguments and from what became of the calls; beyond it, with other arguments,
or where a check saw no failure, an agent says it by naming the call that it tries again as the
parent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult

_RAN = (ToolExecutionResult.kind, ToolArtifactReference.kind)


class SameTool(NamedTuple):
    """A call with the tool of the others."""

    id: int
    call_id: str
    kind: str
    reason: str
    verdict: str
    elapsed_ms: float | None
    turn_id: str = ""
    parent: str | None = None  # the id of another call, as far as it was looked at
    arguments: bytes | None = b""  # equal for the same; none: it told none

    @property
    def worked(self) -> bool:
        return self.kind in _RAN and self.verdict != "failure"


def attempts_of_one(calls: Sequence[SameTool], one: int) -> list[SameTool]:
    """Those tried again in its turn, and those that name each other, directly or by way of others:
    the same ones, whichever of them is asked about."""
    tried_again = list(_tried_again(calls))
    found = {one}
    grown = 0
    while grown != len(found):
        grown = len(found)
        ids = {call.call_id for call in calls if call.id in found}
        named = {call.parent for call in calls if call.id in found}
        found |= {call.id for call in calls if call.parent in ids or call.call_id in named}
        found |= set().union(*(some for some in tried_again if not found.isdisjoint(some)))
    return [call for call in calls if call.id in found] if len(found) > 1 else []


def _tried_again(calls: Iterable[SameTool]) -> Iterable[set[int]]:
    """Of one turn with the same arguments each, in their order: a call that worked is the last
    attempt."""
    parts: dict[tuple[str, bytes], list[set[int]]] = defaultdict(lambda: [set()])
    for call in calls:
        if call.arguments is None:
            continue
        of_its_turn = parts[call.turn_id, call.arguments]
        of_its_turn[-1].add(call.id)
        if call.worked:
            of_its_turn.append(set())
    return (ids for of_turn in parts.values() for ids in of_turn)

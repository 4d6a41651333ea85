"""Attempts of one logical call: a tool called again because it did not work. Within a turn, equal
arguments and the outcomes show that; otherwise the agent names the retried call as parent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from outcomes.record.outcome import ToolArtifactReference, ToolExecutionResult

_RAN = (ToolExecutionResult.kind, ToolArtifactReference.kind)


class SameTool(NamedTuple):
    """A call that uses the same tool as the call in question."""

    id: int
    call_id: str
    kind: str
    reason: str
    verdict: str
    elapsed_ms: float | None
    turn_id: str = ""
    parent: str | None = None  # parent's call id, read for the nearest calls only
    arguments: bytes | None = b""  # equal bytes for equal arguments; None: no arguments sent

    @property
    def worked(self) -> bool:
        return self.kind in _RAN and self.verdict != "failure"


def attempts_of_one(calls: Sequence[SameTool], one: int) -> list[SameTool]:
    """Attempts of the call with this id: calls repeated in its turn, and calls linked to it by
    parents, directly or indirectly. Every attempt gives the same list."""
    tried_again = list(_tried_again(calls))
    attempts = {one}
    grown = 0
    while grown != len(attempts):
        grown = len(attempts)
        ids = {call.call_id for call in calls if call.id in attempts}
        named = {call.parent for call in calls if call.id in attempts}
        attempts |= {call.id for call in calls if call.parent in ids or call.call_id in named}
        attempts |= set().union(*(some for some in tried_again if not attempts.isdisjoint(some)))
    return [call for call in calls if call.id in attempts] if len(attempts) > 1 else []


def _tried_again(calls: Iterable[SameTool]) -> Iterable[set[int]]:
    """Runs of calls in one turn with equal arguments, in order. A call that worked ends its run."""
    parts: dict[tuple[str, bytes], list[set[int]]] = defaultdict(lambda: [set()])
    for call in calls:
        if call.arguments is None:
            continue
        runs = parts[call.turn_id, call.arguments]
        runs[-1].add(call.id)
        if call.worked:
            runs.append(set())
    return (ids for runs in parts.values() for ids in runs)

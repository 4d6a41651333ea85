"""Attempts of one logical call: a tool called again because it did not work. Within a turn that
follows from equal arguments and the outcomes; otherwise an agent names the call that it retries as
the parent."""

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
    """Calls of one turn with equal arguments, in order; a call that worked is the last attempt of
    its run."""
    parts: dict[tuple[str, bytes], list[set[int]]] = defaultdict(lambda: [set()])
    for call in calls:
        if call.arguments is None:
            continue
        runs = parts[call.turn_id, call.arguments]
        runs[-1].add(call.id)
        if call.worked:
            runs.append(set())
    return (ids for runs in parts.values() for ids in runs)

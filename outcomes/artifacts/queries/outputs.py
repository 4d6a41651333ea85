"""Outputs of calls as checks read them, and which calls their agents checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from governance.core.json_value import Json
from outcomes.database import bulk, one_of_numbers
from outcomes.models import Call
from outcomes.record import codec
from outcomes.record.call_columns import Row
from outcomes.record.classification import agent_check, cut_by_agent
from outcomes.record.outcome import (
    NOT_REPORTED,
    REMOVED,
    NotReported,
    ToolArtifactReference,
    ToolExecutionResult,
)
from outcomes.stored.queries import read_calls

RESULT: Final = ToolExecutionResult.kind
_WITH_OUTPUT: Final = frozenset([RESULT, ToolArtifactReference.kind])
_POSTED: Final = """
    SELECT c.id, e.item FROM outcomes_call c
    JOIN outcomes_event e ON e.environment_id = c.environment_id AND e.call_digest = c.digest
    WHERE e.source = 'outcomes' AND NOT e.set_apart AND c.id
"""

Output = Json | NotReported


@dataclass(slots=True)
class Recorded:
    """Recorded data by call id. The output of an artifact reference is in its artifact."""

    outputs: dict[int, Output] = field(default_factory=dict)
    own_checks: set[int] = field(default_factory=set)  # the agent used a check of its own
    cut: set[int] = field(default_factory=set)  # the agent sent only part of the output

    def note(self, call: int, metadata: Mapping[str, Any] | None) -> None:
        """Replace the recorded metadata of one call."""
        self.own_checks.discard(call)
        self.cut.discard(call)
        if agent_check(metadata) is not None:
            self.own_checks.add(call)
        if cut_by_agent(metadata):
            self.cut.add(call)


def outputs_of(rows: Sequence[Row]) -> Recorded:
    calls = [row.id for row in rows if row.kind in _WITH_OUTPUT]
    recorded = Recorded({row.id: NOT_REPORTED for row in rows if row.kind == RESULT})
    if not calls:
        return recorded
    seen: set[int] = set()
    repeated: set[int] = set()
    for call, packed in _posted(calls):
        if call in seen:
            repeated.add(call)
            continue
        seen.add(call)
        item = codec.item_of(packed)
        if call in recorded.outputs and codec.lost_output(packed):
            recorded.outputs[call] = REMOVED
        if call in recorded.outputs and item["type"] == RESULT and "output" in item:
            recorded.outputs[call] = item["output"]
        recorded.note(call, item.get("metadata"))
    if repeated:  # folding decides which of several reports counts
        _fold(repeated, recorded)
    return recorded


def _posted(calls: list[int]) -> list[tuple[int, bytes]]:
    those, values = one_of_numbers(calls)
    rows = bulk.rows_as_stored(_POSTED + those, values)
    return [(call, bytes(packed)) for call, packed in rows]


def _fold(calls: set[int], recorded: Recorded) -> None:
    rows = list(Call.objects.filter(id__in=calls).select_related("agent", "environment"))
    for stored in read_calls(rows):
        call, folded = stored.row.id, stored.folded
        if isinstance(folded.outcome, ToolExecutionResult):
            recorded.outputs[call] = folded.outcome.output
        recorded.note(call, folded.metadata)

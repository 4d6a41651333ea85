"""Details of a session from its calls: turns and artifacts."""

from dataclasses import dataclass, field, replace
from typing import Final

from governance.core.json_value import Json
from governance.core.masking import masked
from outcomes.calls.queries.lists import PLACE_IN_SESSION
from outcomes.models import Call, Session
from outcomes.record.outcome import (
    NOT_REPORTED,
    Outcome,
    ToolArtifactReference,
    ToolExecutionResult,
)
from outcomes.sessions.domain.repeats import Turn, read_turn
from outcomes.stored.queries import IN_ONE_QUERY, StoredCall, read_calls


@dataclass(frozen=True, slots=True)
class ArtifactOfCall:
    artifact_id: str
    call_id: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class SessionDetails:
    artifacts: list[ArtifactOfCall] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _InTurn:
    call_id: str
    tool_name: str
    tool_args: Json
    idempotent: bool
    outcome: Outcome | None


IN_A_TURN: Final = 1_000  # calls of one turn whose arguments are read


def turn_details(session: Session, turn_id: str) -> Turn | None:
    """One turn with its replay record, or None if it has no calls."""
    calls = Call.objects.filter(project=session.project_id, session=session, turn_id=turn_id)
    rows = calls.select_related("artifact").order_by(*PLACE_IN_SESSION)[:IN_A_TURN]
    read = [_in_turn(call) for call in read_calls(list(rows))]
    return _shown(read_turn(read, turn_id=turn_id or None)) if read else None


def session_details(session: Session) -> SessionDetails:
    """Artifacts, and turns in the order they began; calls without a turn are one entry."""
    details, by_turn = SessionDetails(), dict[str, list[_InTurn]]()
    calls = Call.objects.filter(session=session)
    ids = list(calls.order_by(*PLACE_IN_SESSION).values_list("id", flat=True))
    # In batches: the outputs of all calls of a long session could fill the memory.
    for start in range(0, len(ids), IN_ONE_QUERY):
        part = calls.filter(pk__in=ids[start : start + IN_ONE_QUERY]).select_related("artifact")
        for call in read_calls(list(part.order_by(*PLACE_IN_SESSION))):
            by_turn.setdefault(call.row.turn_id, []).append(_in_turn(call))
            outcome = call.folded.outcome
            if isinstance(outcome, ToolArtifactReference):
                stored = call.row.artifact
                size = outcome.size_bytes or (stored.size_bytes if stored else 0)
                details.artifacts.append(
                    ArtifactOfCall(outcome.artifact_id, call.row.call_id, size)
                )
    for turn_id, read in by_turn.items():
        details.turns.append(_shown(read_turn(read, turn_id=turn_id or None)))
    return details


def _shown(turn: Turn) -> Turn:
    """Turn with masked arguments; equal arguments are compared before masking."""
    replay = {
        tool: {how: [masked(value)[0] for value in arguments] for how, arguments in record.items()}
        for tool, record in turn.replay.items()
    }
    return replace(turn, replay=replay)


def _in_turn(stored: StoredCall) -> _InTurn:
    call, outcome = stored.folded, stored.folded.outcome
    if isinstance(outcome, ToolExecutionResult):
        outcome = replace(outcome, output=NOT_REPORTED)  # turns don't use it
    return _InTurn(call.call_id, call.tool_name, call.tool_args, call.idempotent, outcome)

"""What the calls of a session tell together: its turns, and the artifacts they refer to."""

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
from outcomes.record.stored import IN_ONE_QUERY, WholeCall, whole_calls
from outcomes.sessions.domain.replay import Turn, read_turn


@dataclass(frozen=True, slots=True)
class ArtifactOfCall:
    artifact_id: str
    call_id: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class SessionTold:
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


def turn_told(session: Session, turn_id: str) -> Turn | None:
    """One turn, with the arguments that it may replay; none where it has no calls."""
    calls = Call.objects.filter(project=session.project_id, session=session, turn_id=turn_id)
    rows = calls.select_related("artifact").order_by(*PLACE_IN_SESSION)[:IN_A_TURN]
    read = [_in_turn(whole) for whole in whole_calls(list(rows))]
    return _shown(read_turn(read, turn_id=turn_id or None)) if read else None


def told_by(session: Session) -> SessionTold:
    """Its artifacts, and its turns in the order they began; calls without one come as one turn."""
    told, by_turn = SessionTold(), dict[str, list[_InTurn]]()
    calls = Call.objects.filter(session=session)
    ids = list(calls.order_by(*PLACE_IN_SESSION).values_list("id", flat=True))
    # Some at a time: the outputs of all calls of a long session together fill the memory.
    for start in range(0, len(ids), IN_ONE_QUERY):
        part = calls.filter(pk__in=ids[start : start + IN_ONE_QUERY]).select_related("artifact")
        for whole in whole_calls(list(part.order_by(*PLACE_IN_SESSION))):
            by_turn.setdefault(whole.row.turn_id, []).append(_in_turn(whole))
            outcome = whole.folded.outcome
            if isinstance(outcome, ToolArtifactReference):
                stored = whole.row.artifact
                size = outcome.size_bytes or (stored.size_bytes if stored else 0)
                told.artifacts.append(ArtifactOfCall(outcome.artifact_id, whole.row.call_id, size))
    for turn_id, read in by_turn.items():
        told.turns.append(_shown(read_turn(read, turn_id=turn_id or None)))
    return told


def _shown(turn: Turn) -> Turn:
    """Masked once it is known which arguments are equal."""
    replay = {
        tool: {how: [masked(each)[0] for each in arguments] for how, arguments in kept.items()}
        for tool, kept in turn.replay.items()
    }
    return replace(turn, replay=replay)


def _in_turn(whole: WholeCall) -> _InTurn:
    call, outcome = whole.folded, whole.folded.outcome
    if isinstance(outcome, ToolExecutionResult):
        outcome = replace(outcome, output=NOT_REPORTED)  # no turn looks at it
    return _InTurn(call.call_id, call.tool_name, call.tool_args, call.idempotent, outcome)

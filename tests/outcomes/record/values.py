"""Builders for domain values in tests: valid defaults, override what matters. No database."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from hypothesis import strategies as st

from governance.core.verdict import Verdict
from outcomes.record.call import Call
from outcomes.record.event import (
    Allowed,
    ApprovalRejected,
    ApprovalRequested,
    ApprovalTimedOut,
    Blocked,
    Event,
    Executed,
    Failed,
    Granted,
    Note,
    Posted,
    Report,
    WouldBlock,
)
from outcomes.record.fold import fold
from outcomes.record.outcome import (
    NOT_REPORTED,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
IDS: dict[str, Any] = {"call_id": "c-1", "tool_name": "query"}


def an_event(report: Report, *, at: int = 0, order: int = 1, **fields: Any) -> Event:
    """An event `at` seconds after noon. Equal content gives an equal digest."""
    named: dict[str, Any] = IDS | {"agent_id": "bot", "from_sdk": True} | fields
    digest = sha256(repr((report, at, sorted(named.items()))).encode()).digest()
    return Event(
        report=report,
        timestamp=NOON + timedelta(seconds=at),
        order=order,
        **({"digest": digest} | named),
    )


def a_result(output=NOT_REPORTED, **fields) -> ToolExecutionResult:
    return ToolExecutionResult(**IDS, output=output, **fields)


def a_timeout(**fields) -> ToolTimeout:
    return ToolTimeout(**IDS, **fields)


def a_failure(**fields) -> ToolFailure:
    return ToolFailure(**IDS, **fields)


def a_denial(reason: str = "contract", **fields) -> ToolDenied:
    return ToolDenied(**IDS, reason=reason, **fields)


def an_artifact(artifact_id: str = "a-1", **fields) -> ToolArtifactReference:
    return ToolArtifactReference(**IDS, artifact_id=artifact_id, **fields)


ONE_PER_TYPE: list[Outcome] = [a_result(), a_timeout(), a_failure(), a_denial(), an_artifact()]


def folded(*events: Event) -> Call:
    """The call that these events make."""
    call = fold(events)
    assert call is not None
    return call


def a_call(outcome: Outcome | None = None, **fields) -> Call:
    """A call with this outcome, or an open call."""
    return folded(an_event(Allowed() if outcome is None else Posted(outcome), **fields))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["is_error", "error", "ok", "rows"]), inner, max_size=3)
    ),
    max_leaves=6,
)

outcomes = st.one_of(
    st.builds(a_result, st.just(NOT_REPORTED) | json_values, elapsed_ms=st.sampled_from([None, 5])),
    st.builds(a_timeout, retryable=st.booleans(), deadline_s=st.sampled_from([None, 30])),
    st.builds(a_failure, error=st.sampled_from(["reported as failed", "no such table"])),
    st.builds(a_denial, st.sampled_from(["contract", "limit"]), details=st.sampled_from(["", "x"])),
    st.builds(an_artifact, st.sampled_from(["a-1", "a-2"]), summary=st.sampled_from(["", "rows"])),
)

reports = st.one_of(
    st.builds(Posted, outcomes),
    st.builds(Executed, st.sampled_from([None, 7])),
    st.builds(Failed, st.sampled_from(["", "broken"])),
    st.builds(Blocked, st.just("contract"), st.sampled_from(["", "too late"])),
    st.sampled_from(
        [ApprovalRejected(), ApprovalTimedOut("nobody came"), Allowed(), ApprovalRequested()]
    ),
    st.sampled_from([Granted(), WouldBlock(), Note("workflow_completed")]),
)

verdicts = st.sampled_from([None, *Verdict])

events = st.builds(
    an_event,
    reports,
    at=st.integers(0, 3),
    order=st.integers(1, 50),
    tool_name=st.sampled_from(["query", "search"]),
    agent_id=st.sampled_from(["bot", "other", "unknown"]),
    session_id=st.sampled_from([None, "s-1", "s-2"]),
    tool_args=st.sampled_from([None, {"id": 1}, {}]),
    principal=st.sampled_from([None, {"role": "analyst"}]),
    reported=verdicts,
    rule=st.sampled_from([None, "no-drop"]),
    side_effect=st.sampled_from([None, "read", "write"]),
    from_sdk=st.booleans(),
)

"""Completion: fields that a call's strongest event lacks, filled from its other events."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar, assert_never

from governance.core.verdict import Verdict
from outcomes.record.event import (
    UNKNOWN_AGENT,
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
from outcomes.record.outcome import (
    NOT_REPORTED,
    REPORTED_AS_FAILED,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)

_SUCCESS, _FAILURE = Verdict.SUCCESS, Verdict.FAILURE


def outcome_of(event: Event) -> Outcome | None:
    call, tool = event.call_id, event.tool_name
    match event.report:
        case Posted(outcome=outcome):
            return outcome
        case Executed(elapsed_ms=elapsed):
            return ToolExecutionResult(call_id=call, tool_name=tool, elapsed_ms=elapsed)
        case Failed(error=error, elapsed_ms=elapsed):
            error = error or REPORTED_AS_FAILED
            return ToolFailure(call_id=call, tool_name=tool, error=error, elapsed_ms=elapsed)
        case Blocked(reason=reason, details=details):
            return ToolDenied(call_id=call, tool_name=tool, reason=reason, details=details)
        case ApprovalRejected(details=details) | ApprovalTimedOut(details=details):
            return ToolDenied(call_id=call, tool_name=tool, reason="approval", details=details)
        case Allowed() | ApprovalRequested() | Granted() | WouldBlock() | Note():
            return None
        case _ as never:
            assert_never(never)


def verdict_of_action(report: Report) -> Verdict | None:
    if isinstance(report, Executed):
        return _SUCCESS
    return _FAILURE if isinstance(report, Failed) else None


def elapsed_of(event: Event) -> float | None:
    """Measured duration, or None if there was nothing to measure or it was not measured."""
    report = event.report
    if isinstance(report, Posted):
        outcome = report.outcome
        if isinstance(outcome, ToolDenied):
            return None
        if isinstance(outcome, ToolArtifactReference):
            return report.elapsed_ms
        return outcome.elapsed_ms
    return report.elapsed_ms if isinstance(report, Executed | Failed) else None


T = TypeVar("T")

_ADDED = (
    "session_id",
    "turn_id",
    "tool_args",
    "principal",
    "rule",
    "call_index",
    "parent_call_id",
    "parent_session_id",
    "side_effect",
    "idempotent",
    "policy_version",
    "bundle_name",
    "reported_environment",
    "metadata",
)


_values = attrgetter(*_ADDED)


def completed(winner: Event, others: Sequence[Event]) -> Event:
    added: dict[str, Any] = {}
    # Plain loops: this runs for every SDK-reported call, and a generator is slower.
    lacking = [name for name, value in zip(_ADDED, _values(winner), strict=True) if value is None]
    for event in others:
        for name in lacking:
            value = getattr(event, name)
            if value is not None:
                added.setdefault(name, value)
    if winner.agent_id == UNKNOWN_AGENT:
        named = (event.agent_id for event in others if event.agent_id != UNKNOWN_AGENT)
        added["agent_id"] = next(named, UNKNOWN_AGENT)
    return replace(winner, **added) if added else winner


# Fields that each type may lack, and the value that marks them missing. The type never changes.
_LACKING: dict[type[Outcome], dict[str, object]] = {
    ToolExecutionResult: {"output": NOT_REPORTED},
    ToolTimeout: {"deadline_s": None},
    ToolFailure: {"error": REPORTED_AS_FAILED},
    ToolDenied: {"details": ""},
    ToolArtifactReference: {"summary": "", "size_bytes": 0},
}


def completed_outcome(outcome: Outcome, others: Sequence[Event]) -> Outcome:
    added: dict[str, Any] = {}
    similar = [other for event in others if _is_same_kind(other := outcome_of(event), outcome)]
    for name, lack in _LACKING[type(outcome)].items():
        if getattr(outcome, name) == lack:
            values = (getattr(other, name) for other in similar)
            known = [value for value in values if value != lack]
            added.update({name: known[0]} if known else {})
    if not isinstance(outcome, ToolDenied | ToolArtifactReference) and outcome.elapsed_ms is None:
        added["elapsed_ms"] = first_elapsed(others)
    return replace(outcome, **added) if added else outcome


def first_elapsed(events: Iterable[Event]) -> float | None:
    return _first(elapsed_of(event) for event in events)


def _is_same_kind(other: Outcome | None, outcome: Outcome) -> bool:
    match outcome, other:
        case ToolDenied(reason=one), ToolDenied(reason=two):
            return one == two
        case ToolArtifactReference(artifact_id=one), ToolArtifactReference(artifact_id=two):
            return one == two
        case _:
            return type(other) is type(outcome)


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)

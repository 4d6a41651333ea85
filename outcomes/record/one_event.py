"""Outcome, verdict and duration of a single event."""

from typing import assert_never

from governance.core.verdict import Verdict
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
from outcomes.record.outcome import (
    REPORTED_AS_FAILED,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
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
    """The time that was measured, None where there was nothing to measure or nobody did."""
    report = event.report
    if isinstance(report, Posted):
        outcome = report.outcome
        if isinstance(outcome, ToolDenied):
            return None
        if isinstance(outcome, ToolArtifactReference):
            return report.elapsed_ms
        return outcome.elapsed_ms
    return report.elapsed_ms if isinstance(report, Executed | Failed) else None

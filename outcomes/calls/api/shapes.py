"""API representations of calls, events and sessions, with their domain names."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from outcomes.masking.queries.shown_calls import ShownCall
from outcomes.models import Call, PastVerdict, Session
from outcomes.record.call import Call as Folded
from outcomes.record.event import Event, Posted, Report
from outcomes.record.model_content import outcome_to_model_content
from outcomes.record.outcome import (
    NotReported,
    Outcome,
    Removed,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.stored.queries import StoredEvent


def time_text(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def call_out(call: ShownCall) -> dict[str, Any]:
    row, folded = call.row, call.folded
    stored = row.artifact.size_bytes if row.artifact else 0
    checked = row.classified != ""
    return {
        "type": row.kind or None,
        "call_id": row.call_id,
        "tool_name": row.tool.name,
        **_outcome_out(folded.outcome, stored),
        "removed": _removed(row, folded),
        "elapsed_ms": row.elapsed_ms,
        "agent_id": row.agent.name,
        "session_id": row.session.session_id if row.session else None,
        "turn_id": row.turn_id or None,
        "environment": row.environment.name,
        "reported_environment": folded.reported_environment,
        "timestamp": time_text(row.at),
        "received_at": time_text(row.received_at),
        "tool_args": folded.tool_args,
        "principal": folded.principal,
        "idempotent": row.idempotent,
        "call_index": folded.call_index,
        "parent_call_id": folded.parent_call_id,
        "parent_session_id": folded.parent_session_id,
        "metadata": folded.metadata,
        "decision_name": row.rule or None,
        "policy_version": row.policy_version or None,
        "contract": contract_out(row),
        "verdict": row.verdict or None,
        "decided_by": row.decided_by or None,
        "reported": row.reported or None,
        "classified": row.classified or None,
        "checked": checked,
        "cut": row.cut,
        "disagreement": row.disagreement,
        "check": row.check_name or None,
        "version": row.check_version,
        "rule": row.check_rule or None,
        "value": call.value,
        "verdict_reason": call.verdict_reason or None,
        "labels": row.labels.split(),
        "would_deny": row.would_deny,
        "conflict": row.conflict,
    }


def _removed(row: Call, folded: Folded) -> list[str]:
    """Fields of the payload that retention removed; their absence says nothing about the agent."""
    output = getattr(folded.outcome, "output", None)
    lost = {
        "tool_args": folded.lost_arguments and folded.tool_args is None,
        "output": isinstance(output, Removed),
        "artifact": row.artifact is not None and row.artifact.removed_at is not None,
    }
    return [name for name, is_lost in lost.items() if is_lost]


def call_details(call: ShownCall, past: Sequence[PastVerdict]) -> dict[str, Any]:
    outcome = call.folded.outcome
    return {
        **call_out(call),
        "events": [event_out(event) for event in call.events],
        "verdicts": _verdicts(call, past),
        "model_content": None if outcome is None else outcome_to_model_content(outcome),
    }


def _verdicts(call: ShownCall, past: Sequence[PastVerdict]) -> list[dict[str, Any]]:
    """Classified verdicts, newest first. Each one was valid until the next one's time."""
    row = call.row
    given = [*(verdict.until for verdict in past), row.received_at]
    earlier = [
        {
            "check": verdict.check_name or None,
            "version": verdict.check_version,
            "verdict": verdict.verdict or None,
            "effective": verdict.effective or None,
            "decided_by": verdict.decided_by or None,
            "rule": verdict.rule or None,
            "cut": verdict.cut,
            "value": call.value_in(
                verdict.value,
                (row.project_id, verdict.check_name, verdict.check_version, verdict.rule),
            ),
            "at": time_text(at),
        }
        for verdict, at in zip(past, given[1:], strict=True)
    ]
    if not row.classified:
        return earlier
    present = {
        "check": row.check_name or None,
        "version": row.check_version,
        "verdict": row.classified,
        "effective": row.verdict or None,
        "decided_by": row.decided_by or None,
        "rule": row.check_rule or None,
        "cut": row.cut,
        "value": call.value,
        "at": time_text(given[0]),
    }
    return [present, *earlier]


def event_out(stored: StoredEvent) -> dict[str, Any]:
    event = stored.event
    return {
        "action": action_of(event.report),
        "tool_name": event.tool_name,
        "call_id": event.call_id,
        "decision_name": event.rule,
        "tool_success": None if event.reported is None else event.reported == "success",
        "agent_id": event.agent_id,
        "session_id": event.session_id,
        "turn_id": event.turn_id,
        "environment": stored.row.environment.name,
        "mode": event.mode,
        "timestamp": time_text(event.timestamp),
        "received_at": time_text(stored.row.received_at),
        "source": stored.source,
        "set_apart": stored.row.set_apart,
        **_report_out(event),
    }


def _outcome_out(outcome: Outcome | None, stored: int) -> dict[str, Any]:
    match outcome:
        case None:
            return {}
        case ToolExecutionResult(output=output, was_coerced=was_coerced):
            reported = {} if isinstance(output, NotReported) else {"output": output}
            return {**reported, "was_coerced": was_coerced}
        case ToolTimeout(deadline_s=deadline, retryable=retryable):
            return {"deadline_s": deadline, "retryable": retryable}
        case ToolFailure(error=error, retryable=retryable):
            return {"error": error, "retryable": retryable}
        case ToolDenied(reason=reason, details=details):
            return {"reason": reason, "details": details}
        case ToolArtifactReference(artifact_id=artifact, summary=summary, size_bytes=size):
            return {"artifact_id": artifact, "summary": summary, "size_bytes": size or stored}


_ACTIONS = {
    "posted": "outcome_posted",
    "executed": "call_executed",
    "failed": "call_failed",
    "blocked": "call_blocked",
    "approval_rejected": "call_approval_blocked",
    "approval_timed_out": "call_approval_timeout",
    "allowed": "call_allowed",
    "asked": "call_asked",
    "granted": "call_approval_granted",
    "would_block": "call_would_block",
}


def action_of(report: Report) -> str:
    return getattr(report, "name", None) or _ACTIONS[report.kind]


def _report_out(event: Event) -> dict[str, Any]:
    report = event.report
    if isinstance(report, Posted):
        return {"type": report.outcome.kind}
    return {
        name: value
        for name in ("reason", "details", "error", "elapsed_ms")
        if (value := getattr(report, name, None)) not in (None, "")
    }


def contract_out(row: Call | Session) -> dict[str, Any] | None:
    if row.version is None:
        return None
    return {"name": row.version.bundle.name, "version": row.version.number}

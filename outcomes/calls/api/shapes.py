"""Calls, events and sessions as they go out, by their domain names."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from outcomes.masking.queries.shown_calls import ShownCall
from outcomes.models import Call, PastVerdict, Session
from outcomes.record.event import Event, Posted, Report
from outcomes.record.model_content import outcome_to_model_content
from outcomes.record.outcome import (
    NotReported,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.record.stored import StoredEvent


def time_text(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def call_out(whole: ShownCall) -> dict[str, Any]:
    row, call = whole.row, whole.folded
    stored = row.artifact.size_bytes if row.artifact else 0
    checked = row.classified != ""
    return {
        "type": row.kind or None,
        "call_id": row.call_id,
        "tool_name": row.tool.name,
        **_outcome_out(call.outcome, stored),
        "elapsed_ms": row.elapsed_ms,
        "agent_id": row.agent.name,
        "session_id": row.session.session_id if row.session else None,
        "turn_id": row.turn_id or None,
        "environment": row.environment.name,
        "reported_environment": call.reported_environment,
        "timestamp": time_text(row.at),
        "received_at": time_text(row.received_at),
        "tool_args": call.tool_args,
        "principal": call.principal,
        "idempotent": row.idempotent,
        "call_index": call.call_index,
        "parent_call_id": call.parent_call_id,
        "parent_session_id": call.parent_session_id,
        "metadata": call.metadata,
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
        "value": whole.value,
        "verdict_reason": whole.verdict_reason or None,
        "labels": row.labels.split(),
        "would_deny": row.would_deny,
        "conflict": row.conflict,
    }


def call_details(whole: ShownCall, past: Sequence[PastVerdict]) -> dict[str, Any]:
    outcome = whole.folded.outcome
    return {
        **call_out(whole),
        "events": [event_out(event) for event in whole.events],
        "verdicts": _verdicts(whole, past),
        "model_content": None if outcome is None else outcome_to_model_content(outcome),
    }


def _verdicts(whole: ShownCall, past: Sequence[PastVerdict]) -> list[dict[str, Any]]:
    """What was classified, newest first. Each counts from the end of the one before it."""
    row = whole.row
    given = [*(each.until for each in past), row.received_at]
    told = [
        {
            "check": each.check_name or None,
            "version": each.check_version,
            "verdict": each.verdict or None,
            "effective": each.effective or None,
            "decided_by": each.decided_by or None,
            "rule": each.rule or None,
            "cut": each.cut,
            "value": whole.value_in(
                each.value, (row.project_id, each.check_name, each.check_version, each.rule)
            ),
            "at": time_text(at),
        }
        for each, at in zip(past, given[1:], strict=True)
    ]
    if not row.classified:
        return told
    present = {
        "check": row.check_name or None,
        "version": row.check_version,
        "verdict": row.classified,
        "effective": row.verdict or None,
        "decided_by": row.decided_by or None,
        "rule": row.check_rule or None,
        "cut": row.cut,
        "value": whole.value,
        "at": time_text(given[0]),
    }
    return [present, *told]


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
    """The event's action by the name that the newest SDKs give it."""
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

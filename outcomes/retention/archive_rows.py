"""Columns of archived calls, and the row of one call."""

from typing import Any, Final

from governance.core.json_value import Json
from outcomes.artifacts.commands.contents import Contents
from outcomes.calls.api.shapes import time_text
from outcomes.record.classification import Unreadable
from outcomes.record.outcome import (
    NotReported,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
)
from outcomes.stored.queries import StoredCall

COLUMNS: Final = {
    "call_id": "VARCHAR",
    "environment": "VARCHAR",
    "agent": "VARCHAR",
    "tool": "VARCHAR",
    "session": "VARCHAR",
    "turn": "VARCHAR",
    "principal": "JSON",
    "called_at": "TIMESTAMPTZ",
    "received_at": "TIMESTAMPTZ",
    "type": "VARCHAR",
    "elapsed_ms": "DOUBLE",
    "verdict": "VARCHAR",
    "reported": "VARCHAR",
    "classified": "VARCHAR",
    "decided_by": "VARCHAR",
    "disagreement": "BOOLEAN",
    "check_name": "VARCHAR",
    "check_version": "INTEGER",
    "check_rule": "VARCHAR",
    "labels": "VARCHAR",
    "contract_rule": "VARCHAR",
    "policy_version": "VARCHAR",
    "would_deny": "BOOLEAN",
    "reason": "VARCHAR",
    "error": "VARCHAR",
    "arguments": "JSON",
    "output": "JSON",
    "artifact_id": "VARCHAR",
    "metadata": "JSON",
}


def row_of(call: StoredCall, contents: Contents) -> dict[str, Any]:
    """All stored data of a call with secrets unmasked; large outputs are read from artifacts."""
    row, folded = call.row, call.folded
    return {
        "call_id": row.call_id,
        "environment": row.environment.name,
        "agent": row.agent.name,
        "tool": row.tool.name,
        "session": row.session.session_id if row.session else None,
        "turn": row.turn_id or None,
        "principal": folded.principal,
        "called_at": time_text(row.at),
        "received_at": time_text(row.received_at),
        "type": row.kind or None,
        "elapsed_ms": row.elapsed_ms,
        "verdict": row.verdict or None,
        "reported": row.reported or None,
        "classified": row.classified or None,
        "decided_by": row.decided_by or None,
        "disagreement": row.disagreement,
        "check_name": row.check_name or None,
        "check_version": row.check_version,
        "check_rule": row.check_rule or None,
        "labels": row.labels or None,
        "contract_rule": row.rule or None,
        "policy_version": row.policy_version or None,
        "would_deny": row.would_deny,
        "reason": row.reason or None,
        "error": _error(folded.outcome),
        "arguments": folded.tool_args,
        "output": _output(row.project_id, folded.outcome, contents),
        "artifact_id": row.artifact_name or None,
        "metadata": folded.metadata,
    }


def _error(outcome: Outcome | None) -> str | None:
    match outcome:
        case ToolFailure(error=error):
            return error
        case ToolDenied(details=details):
            return details or None
        case _:
            return None


def _output(project: int, outcome: Outcome | None, contents: Contents) -> Json:
    match outcome:
        case ToolExecutionResult(output=output) if not isinstance(output, NotReported):
            return output
        case ToolArtifactReference(artifact_id=artifact):
            value = contents.value_or_fault(project, artifact)
            return None if isinstance(value, Unreadable) else value
        case _:
            return None

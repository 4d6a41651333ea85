"""Text of the tool message that a model gets for an outcome."""

import json
from typing import Any, assert_never

from outcomes.record.outcome import (
    NotReported,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)


def outcome_to_model_content(outcome: Outcome) -> str | None:
    """JSON text of the tool message, or None if the output was never reported."""
    match outcome:
        case ToolExecutionResult(output=output):
            return None if isinstance(output, NotReported) else json.dumps(output)
        case ToolTimeout(retryable=retryable):
            error = _timed_out(outcome)
            return json.dumps(
                {"status": "error", "error": error, "timed_out": True, "retryable": retryable}
            )
        case ToolFailure(error=error, retryable=retryable):
            return json.dumps({"status": "error", "error": error, "retryable": retryable})
        case ToolDenied():
            return json.dumps(_denied(outcome))
        case ToolArtifactReference(artifact_id=artifact, summary=summary):
            hint = "The output is too large to show here. Read it with read_file."
            return json.dumps({"artifact_reference": artifact, "summary": summary, "hint": hint})
        case _ as never:
            assert_never(never)


def _timed_out(outcome: ToolTimeout) -> str:
    # Deadline as the agent sent it.
    deadline = "" if outcome.deadline_s is None else f" after {outcome.deadline_s} s"
    return f"Tool timed out{deadline}."


def _denied(outcome: ToolDenied) -> dict[str, Any]:
    match outcome.reason:
        case "duplicate":
            return {"warning": "duplicate_tool_call", "skipped": True}
        case "blocked":
            return {"warning": "non_retryable_tool_failure", "skipped": True}
        case "validation":
            return {
                "error": "argument_validation_failed",
                "details": outcome.details,
                "hint": "Correct the arguments and call the tool again.",
            }
        case "deadline":
            return {"error": "Turn deadline expired; cannot execute tool.", "timed_out": True}
        case _:
            return {"error": f"Blocked: {outcome.details or outcome.reason}", "blocked": True}

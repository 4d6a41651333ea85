"""Outcomes of a tool call: a closed union of five types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from edictum_site_client.plain_json import json_value

# Longest tool message. Longer output is stored as an artifact and referenced.
TOOL_MESSAGE_MAX_CHARS = 12_000
SUMMARY_MAX_CHARS = 200

# Reasons for which an executor denies a call. Other reasons are valid too.
DenialReason = Literal["deadline", "blocked", "duplicate", "pre_hook", "validation", "write_denied"]
DENIAL_REASONS: tuple[DenialReason, ...] = get_args(DenialReason)


@dataclass(frozen=True)
class ToolExecutionResult:
    """The tool ran, and its output fits into the tool message."""

    call_id: str
    tool_name: str
    output: Any
    elapsed_ms: float | None
    was_coerced: bool = False


@dataclass(frozen=True)
class ToolTimeout:
    """The tool exceeded its deadline."""

    call_id: str
    tool_name: str
    deadline_s: float | None
    elapsed_ms: float | None
    retryable: bool = True


@dataclass(frozen=True)
class ToolFailure:
    """The tool raised, or returned `{"error": …}`."""

    call_id: str
    tool_name: str
    error: str
    retryable: bool = True
    elapsed_ms: float | None = 0


@dataclass(frozen=True)
class ToolDenied:
    """The tool never ran: a gate denied the call."""

    call_id: str
    tool_name: str
    reason: str
    details: str = ""


@dataclass(frozen=True)
class ToolArtifactReference:
    """The tool ran; its output is too large for the tool message and is stored elsewhere."""

    call_id: str
    tool_name: str
    artifact_id: str
    summary: str
    size_bytes: int = 0


ToolOutcome: TypeAlias = (
    ToolExecutionResult | ToolTimeout | ToolFailure | ToolDenied | ToolArtifactReference
)


def outcome_is_error(outcome: ToolOutcome) -> bool:
    return isinstance(outcome, (ToolTimeout, ToolFailure))


def outcome_is_retryable(outcome: ToolOutcome) -> bool:
    return isinstance(outcome, (ToolTimeout, ToolFailure)) and outcome.retryable


def outcome_blocks_tool(outcome: ToolOutcome) -> bool:
    """True if the tool must not be called again in this turn: its failure isn't retryable."""
    return isinstance(outcome, (ToolTimeout, ToolFailure)) and not outcome.retryable


def outcome_to_model_content(outcome: ToolOutcome) -> str:
    """JSON text of the tool message."""
    content = _content(outcome)
    try:
        return json.dumps(content)
    except (TypeError, ValueError, RecursionError):  # the output is not a JSON value
        return json.dumps(json_value(content))


def _content(outcome: ToolOutcome) -> Any:
    match outcome:
        case ToolExecutionResult():
            return outcome.output
        case ToolTimeout():
            deadline = "" if outcome.deadline_s is None else f" after {outcome.deadline_s} s"
            return {
                "status": "error",
                "error": f"Tool timed out{deadline}.",
                "timed_out": True,
                "retryable": outcome.retryable,
            }
        case ToolFailure():
            return {"status": "error", "error": outcome.error, "retryable": outcome.retryable}
        case ToolDenied():
            return _denial(outcome)
        case ToolArtifactReference():
            return {
                "artifact_reference": outcome.artifact_id,
                "summary": outcome.summary,
                "hint": "The output is too large to show here. Read it with read_file.",
            }


def _denial(outcome: ToolDenied) -> dict[str, Any]:
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

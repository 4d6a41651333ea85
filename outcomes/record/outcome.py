"""The five outcomes of a tool call, their properties, and the size limit for inline outputs."""

import json
from dataclasses import dataclass
from typing import ClassVar, Final, final

from governance.core.json_value import Json

INLINE_LIMIT: Final = 12_000
SUMMARY_LIMIT: Final = 200
REASON: Final = 64  # maximum characters of a denial's reason in statistics
REPORTED_AS_FAILED: Final = "reported as failed"


@dataclass(frozen=True, slots=True)
class NotReported:
    """Output that was never sent. An explicit null is a value instead."""


@final
@dataclass(frozen=True, slots=True)
class Removed(NotReported):
    """Output that retention removed. Its verdict stays."""


NOT_REPORTED: Final = NotReported()
REMOVED: Final = Removed()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExecutionResult:
    kind: ClassVar = "execution_result"
    call_id: str
    tool_name: str
    output: Json | NotReported = NOT_REPORTED
    elapsed_ms: float | None = None
    was_coerced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTimeout:
    kind: ClassVar = "timeout"
    call_id: str
    tool_name: str
    deadline_s: float | None = None
    elapsed_ms: float | None = None
    retryable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailure:
    kind: ClassVar = "failure"
    call_id: str
    tool_name: str
    error: str = REPORTED_AS_FAILED
    retryable: bool = True
    elapsed_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDenied:
    kind: ClassVar = "denied"
    call_id: str
    tool_name: str
    reason: str
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArtifactReference:
    kind: ClassVar = "artifact_reference"
    call_id: str
    tool_name: str
    artifact_id: str
    summary: str = ""
    size_bytes: int = 0


Outcome = ToolExecutionResult | ToolTimeout | ToolFailure | ToolDenied | ToolArtifactReference


def outcome_is_error(outcome: Outcome) -> bool:
    return isinstance(outcome, ToolTimeout | ToolFailure)


def outcome_is_retryable(outcome: Outcome) -> bool:
    return isinstance(outcome, ToolTimeout | ToolFailure) and outcome.retryable


def outcome_blocks_tool(outcome: Outcome) -> bool:
    """Whether the tool must not be called again in the same turn: its failure is not retryable."""
    return isinstance(outcome, ToolTimeout | ToolFailure) and not outcome.retryable


# json.dumps builds a new encoder for every call with non-default options.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_in_ascii = json.JSONEncoder(separators=(",", ":")).encode


def serialised_length(output: Json) -> int:
    """Code points of the output as compact JSON, including a string's quotes."""
    return len(_encode(output))


def fits_inline(output: Json) -> bool:
    if isinstance(output, str):
        # Two quotes, plus one to six characters for each character of the string.
        if len(output) + 2 > INLINE_LIMIT:
            return False
        if len(output) * 6 + 2 <= INLINE_LIMIT:
            return True
    # The ASCII form is never shorter and takes half the time to compute.
    in_ascii = len(_encode_in_ascii(output))
    return in_ascii <= INLINE_LIMIT or serialised_length(output) <= INLINE_LIMIT


def artifact_bytes(output: Json) -> tuple[bytes, str]:
    """Artifact content for this output, and its media type."""
    if isinstance(output, str):
        return output.encode(), "text/plain"
    return _encode(output).encode(), "application/json"


def summary_of(output: Json) -> str:
    """Beginning of an output. Also cuts summaries that agents wrote."""
    text = output if isinstance(output, str) else _encode(output)
    return text[:SUMMARY_LIMIT]

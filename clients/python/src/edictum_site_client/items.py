"""Items of `POST outcomes`: the outcome of one call in the console's format."""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypedDict

from edictum_site_client.masking import Masking
from edictum_site_client.outcomes import (
    SUMMARY_MAX_CHARS,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolOutcome,
    ToolTimeout,
)
from edictum_site_client.values import Withheld, encoded, fitted, jsonable, text_of

# Before Python 3.11 these were three separate classes.
TIMEOUTS = (TimeoutError, asyncio.TimeoutError, concurrent.futures.TimeoutError)


@dataclass(frozen=True, slots=True)
class Returned:
    """Value that a tool returned, with the error that the value itself reports, if any."""

    value: Any
    error: Any = None
    was_coerced: bool = False


@dataclass(frozen=True, slots=True)
class Raised:
    """Exception that a tool raised, or just its text if the SDK kept nothing else."""

    error: BaseException | str


@dataclass(frozen=True, slots=True)
class Denied:
    reason: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """Output stored as an artifact, by the console or by the agent."""

    artifact_id: str
    summary: str = ""
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class NotReported:
    """Execution without a reported output."""


What = Returned | Raised | Denied | Stored | NotReported


class Measures(TypedDict, total=False):
    """Measurements of an execution, regardless of its outcome."""

    elapsed_ms: float | None
    deadline_s: float | None
    retryable: bool


def what_of(outcome: ToolOutcome) -> tuple[What, Measures]:
    match outcome:
        case ToolExecutionResult():
            returned = Returned(outcome.output, was_coerced=outcome.was_coerced)
            return returned, {"elapsed_ms": outcome.elapsed_ms}
        case ToolTimeout():
            return Raised(TimeoutError()), {
                "elapsed_ms": outcome.elapsed_ms,
                "deadline_s": outcome.deadline_s,
                "retryable": outcome.retryable,
            }
        case ToolFailure():
            # The default of 0 means that the duration was not measured.
            elapsed_ms = outcome.elapsed_ms or None
            return Raised(outcome.error), {
                "elapsed_ms": elapsed_ms,
                "retryable": outcome.retryable,
            }
        case ToolDenied():
            return Denied(outcome.reason, outcome.details), {}
        case ToolArtifactReference():
            return Stored(outcome.artifact_id, outcome.summary, outcome.size_bytes), {}


def error_in(value: Any, key: str | None) -> Any:
    """Error stored under this key of a returned object, or None."""
    if key is None or not isinstance(value, Mapping):
        return None
    try:
        error = value.get(key)
    except Exception:  # noqa: BLE001 - an object of others: whatever it does, the tool call goes on
        return None
    try:
        return error or None
    except Exception:  # noqa: BLE001 - neither true nor false, as arrays are: it is there
        return error


def item(
    what: What,
    about: Mapping[str, Any],
    masking: Masking,
    *,
    elapsed_ms: float | None = None,
    deadline_s: float | None = None,
    retryable: bool = True,
) -> bytes:
    """Encoded item, ready to send. `about` has call_id, tool_name and other known fields."""
    fields = {key: value for key, value in about.items() if value is not None}
    fields.setdefault("timestamp", datetime.now(timezone.utc).isoformat())
    tool = str(fields["tool_name"])
    notes: dict[str, Any] = dict(fields.pop("metadata", {}))
    _mask(fields, "tool_args", tool, masking, notes, leaves=masking.arguments)
    if not isinstance(what, Denied) and (elapsed := _measure(elapsed_ms)) is not None:
        fields["elapsed_ms"] = round(elapsed, 3)
    match what:
        case Returned(error=error) if error is not None:
            fields |= {"type": "failure", "error": _error_text(error, tool, masking)}
            fields["retryable"] = retryable
        case Returned(value):
            fields |= {"type": "execution_result", "output": value}
            _mask(fields, "output", tool, masking, notes, leaves=masking.outputs)
            if what.was_coerced:
                fields["was_coerced"] = True
        case Stored(artifact_id, summary, size_bytes):
            summary = text_of(summary, masking)[:SUMMARY_MAX_CHARS] if masking.outputs else ""
            fields |= {"type": "artifact_reference", "artifact_id": artifact_id}
            fields |= {"summary": summary, "size_bytes": size_bytes}
        case NotReported():
            fields["type"] = "execution_result"
        case Raised(error) if isinstance(error, TIMEOUTS):
            fields |= {
                "type": "timeout",
                "deadline_s": _measure(deadline_s),
                "retryable": retryable,
            }
        case Raised(error):
            fields |= {"type": "failure", "error": _error(error, masking), "retryable": retryable}
        case Denied(reason, details):
            fields |= {"type": "denied", "reason": reason, "details": text_of(details, masking)}
    if notes:
        fields["metadata"] = notes
    return encoded(fields)


def _mask(
    fields: dict[str, Any],
    name: str,
    tool: str,
    masking: Masking,
    notes: dict[str, Any],
    *,
    leaves: bool,
) -> None:
    if name not in fields:
        return
    value = fields.pop(name)
    if not leaves:
        return
    try:
        fields[name], is_cut = fitted(tool, value, masking)
        if is_cut:
            notes[f"{name}_cut"] = True
    except Withheld as why:
        notes[f"{name}_withheld"] = str(why)


def _measure(number: float | None) -> float | None:
    """Duration, or None if the console would reject it as negative or not finite."""
    return number if number is not None and math.isfinite(number) and number >= 0 else None


def _error_text(error: Any, tool: str, masking: Masking) -> str:
    if isinstance(error, (BaseException, str)):
        return _error(error, masking)
    try:
        return text_of(encoded(jsonable(tool, error, masking)).decode(), masking)
    except Withheld as why:
        return f"Withheld: {why}"


def _error(error: BaseException | str, masking: Masking) -> str:
    if isinstance(error, str):
        return text_of(error, masking)
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an exception of others, whose words raise in their turn
        words = ""
    name = type(error).__name__
    return text_of(f"{name}: {words}" if words else name, masking)

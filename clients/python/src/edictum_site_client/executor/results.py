"""Outcome of a tool that ran, from its return value, exception or exceeded deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edictum_site_client.executor.artifacts import ArtifactStore, artifact_text
from edictum_site_client.executor.running import Ending, Expired, Raised, Returned
from edictum_site_client.executor.texts import exception_text, shortened
from edictum_site_client.executor.tools import PermanentFailure
from edictum_site_client.items import error_in
from edictum_site_client.outcomes import (
    SUMMARY_MAX_CHARS,
    ToolArtifactReference,
    ToolExecutionResult,
    ToolFailure,
    ToolOutcome,
    ToolTimeout,
    outcome_to_model_content,
)
from edictum_site_client.plain_json import TooLarge, json_value

logger = logging.getLogger("edictum_site_client")

ERROR_KEY = "error"
LONGEST_ERROR = 100_000  # characters of an error that is not text

Judge = Callable[[str, Any], bool | None]


@dataclass(frozen=True)
class Execution:
    """Details of a tool's run that its outcome needs."""

    call_id: str
    tool_name: str
    elapsed_ms: float
    deadline_s: float
    was_coerced: bool
    retry_on_timeout: bool


@dataclass(frozen=True)
class Finished:
    outcome: ToolOutcome
    tool_success: bool | None = None  # the agent's verdict on the output
    output_cut: bool = False  # only part of the output is stored


@dataclass(frozen=True)
class Results:
    artifacts: ArtifactStore
    max_chars: int
    judge: Judge | None

    def finished(self, ending: Ending, of: Execution) -> Finished:
        match ending:
            case Returned(value):
                return self._returned(value, of)
            case Raised(error):
                retryable = not isinstance(error, PermanentFailure)
                return Finished(_failure(of, exception_text(error), retryable=retryable))
            case Expired():
                retryable, elapsed_ms = of.retry_on_timeout, of.elapsed_ms
                return Finished(
                    ToolTimeout(of.call_id, of.tool_name, of.deadline_s, elapsed_ms, retryable)
                )

    def _returned(self, value: Any, of: Execution) -> Finished:
        error = error_in(value, ERROR_KEY)
        if error is not None:
            failure = _failure(of, _error_text(error), retryable=_is_retryable(value))
            return Finished(failure, tool_success=False)
        try:
            output = json_value(value)
        except TooLarge as why:
            return Finished(_failure(of, f"It ran, but its output is too large. {why}"))
        result = ToolExecutionResult(
            of.call_id, of.tool_name, output, of.elapsed_ms, of.was_coerced
        )
        success = None if self.judge is None else self.judge(of.tool_name, value)
        if len(outcome_to_model_content(result)) <= self.max_chars:
            return Finished(result, success)
        return self._stored(output, of, success)

    def _stored(self, output: Any, of: Execution, success: bool | None) -> Finished:  # noqa: FBT001
        try:
            stored = self.artifacts.put(of.tool_name, output)
        except Exception as error:
            logger.exception("An output could not be stored")
            why = exception_text(error)
            failure = _failure(of, f"It ran, but its output could not be stored: {why}")
            return Finished(failure, success)
        summary = artifact_text(output)[:SUMMARY_MAX_CHARS]
        reference = ToolArtifactReference(
            of.call_id, of.tool_name, stored.artifact_id, summary, stored.size_bytes
        )
        is_cut = bool(getattr(stored, "is_cut", False))  # a third-party store may not report it
        return Finished(reference, success, is_cut)


def _failure(of: Execution, error: str, *, retryable: bool = False) -> ToolFailure:
    return ToolFailure(
        of.call_id, of.tool_name, shortened(error), retryable=retryable, elapsed_ms=of.elapsed_ms
    )


def _is_retryable(value: Mapping[Any, Any]) -> bool:
    try:
        return value.get("retryable") is not False
    except Exception:  # noqa: BLE001 - an object of others
        return True


def _error_text(error: Any) -> str:
    if isinstance(error, str):
        return error
    if isinstance(error, BaseException):
        return exception_text(error)
    try:
        return artifact_text(json_value(error, LONGEST_ERROR))
    except TooLarge:
        return f"The tool returned an error that is too large to show: a {type(error).__name__}."

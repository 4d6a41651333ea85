"""Call as shown to people and `read` keys: secrets masked, everything else as stored."""

from dataclasses import replace
from typing import Any

from governance.core.json_value import Json
from governance.core.masking import Masking
from outcomes.record.call import Call
from outcomes.record.event import Event, Posted, Report
from outcomes.record.outcome import (
    SUMMARY_LIMIT,
    NotReported,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
)


def masking_of(call: Call) -> Masking:
    """Masking of a call: the value of a field with a secret's name is masked everywhere in the
    call."""
    return Masking(call.tool_args, call.principal, call.metadata, _output(call.outcome))


def shown_call(call: Call, masking: Masking) -> Call:
    outcome = None if call.outcome is None else shown_outcome(call.outcome, masking)
    return replace(call, account=shown_event(call.account, masking), outcome=outcome)


def shown_event(event: Event, masking: Masking) -> Event:
    return replace(
        event,
        tool_args=masking.value(event.tool_args),
        principal=_fields(event.principal, masking),
        metadata=_fields(event.metadata, masking),
        report=_shown_report(event.report, masking),
    )


def shown_outcome(outcome: Outcome, masking: Masking) -> Outcome:
    match outcome:
        case ToolExecutionResult(output=output) if not isinstance(output, NotReported):
            return replace(outcome, output=masking.value(output))
        case ToolFailure(error=error):
            return replace(outcome, error=masking.text(error))
        case ToolDenied(reason=reason, details=details):
            return replace(outcome, reason=masking.text(reason), details=masking.text(details))
        case ToolArtifactReference(summary=summary):
            is_cut = len(summary) >= SUMMARY_LIMIT
            return replace(outcome, summary=masking.text(summary, is_cut=is_cut))
        case _:
            return outcome


def masking_of_event(event: Event) -> Masking:
    """Masking of an event that is read without its call."""
    outcome = event.report.outcome if isinstance(event.report, Posted) else None
    return Masking(event.tool_args, event.principal, event.metadata, _output(outcome))


def _shown_report(report: Report, masking: Masking) -> Report:
    if isinstance(report, Posted):
        return replace(report, outcome=shown_outcome(report.outcome, masking))
    texts = {
        name: masking.text(text)
        for name in ("reason", "details", "error")
        if isinstance(text := getattr(report, name, None), str)
    }
    return replace(report, **texts) if texts else report  # type: ignore[arg-type]  # fields of it


def _fields(value: dict[str, Any] | None, masking: Masking) -> dict[str, Any] | None:
    shown = masking.value(value)
    return shown if isinstance(shown, dict) else None


def _output(outcome: Outcome | None) -> Json:
    match outcome:
        case ToolExecutionResult(output=output) if not isinstance(output, NotReported):
            return output
        case _:
            return None

"""What is said about one call: the sentence of its page, and its events in words."""

from typing import assert_never

from django.utils.html import format_html
from django.utils.safestring import SafeString

from outcomes.models import Call
from outcomes.record.effective import AgentCheck
from outcomes.record.event import (
    Allowed,
    ApprovalRejected,
    ApprovalTimedOut,
    Asked,
    Blocked,
    Event,
    Executed,
    Failed,
    Granted,
    Note,
    Posted,
    WouldBlock,
)


def call_sentence(row: Call, *, is_late: bool = False) -> SafeString:
    return format_html("<code>{}</code> {}", row.tool.name, _became(row, is_late=is_late))


def _became(row: Call, *, is_late: bool) -> str:
    match row.kind:
        case "":
            if is_late:
                return "was allowed, and no result was reported."
            return "waits for an approval." if row.asked else "is running."
        case "denied":
            return f"was denied: {row.reason}."
        case "timeout":
            return f"ran into its deadline{_but(row)}."
        case "failure":
            return f"failed{_but(row)}."
        case _:
            return _ran(row)


def _but(row: Call) -> str:
    return "; the agent said success" if row.disagreement else ""


def _ran(row: Call) -> str:
    if row.decided_by == "agent":
        said = "succeeded" if row.verdict == "success" else "failed"
        unchecked = " No check looked at it." if row.classified == "" else ""
        return f"ran and {said}, as the agent says.{unchecked}"
    match row.verdict:
        case "success":
            also = "; the agent said failure" if row.disagreement else ""
            return f"ran and succeeded{also}."
        case "failure":
            return f"ran and failed{', which the agent missed' if row.disagreement else ''}."
        case _:
            return "ran; whether it succeeded is unknown."


def decider_sentence(row: Call, own: AgentCheck | None) -> str:
    """Who decided the verdict, and why not another."""
    match row.decided_by:
        case "type":
            return f"A {row.kind} is a failure by its type; no check is asked."
        case "check":
            return "A binding names this check, so it decides."
        case "default":
            return "No binding names a check for this call, so the default check decides."
        case "agent" if own is not None:
            return f"No binding names a check for this call, so the agent's {_name(own)} decides."
        case "agent" if row.classified and row.verdict == "failure":
            return "The agent decides: it may know of a failure that the result does not show."
        case "agent":
            return "The agent decides: no check gave a verdict."
        case _:
            return "Neither a check nor the agent gave a verdict." if row.verdict else ""


def _name(own: AgentCheck) -> str:
    if own.name == "custom":
        return "own check"
    return f"check {own.name}" if own.version is None else f"check {own.name} v{own.version}"


def event_words(event: Event) -> str:
    said = _said(event)
    if event.rule:
        said += f", by {event.rule}"
    if event.reported:
        said += f", reported {event.reported}"
    return said


def _said(event: Event) -> str:
    report = event.report
    match report:
        case Posted(outcome=outcome):
            return f"posted as {outcome.kind.replace('_', ' ')}"
        case Executed():
            return "executed"
        case Failed():
            return "failed"
        case Blocked(reason=reason):
            return f"denied: {reason}"
        case ApprovalRejected():
            return "approval rejected"
        case ApprovalTimedOut():
            return "approval timed out"
        case Allowed():
            return "allowed"
        case Asked():
            return "approval asked"
        case Granted():
            return "approval granted"
        case WouldBlock():
            return "would have been denied"
        case Note(name=name):
            return name.replace("_", " ")
        case _ as never:
            assert_never(never)

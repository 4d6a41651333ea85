"""What is said about one call: the sentence of its page, and its events in words."""

import json
from typing import assert_never

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.domain.json_value import Json
from outcomes.domain.event import (
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
from outcomes.models import Call


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
    if row.classified == "" and row.reported:
        said = "succeeded" if row.reported == "success" else "failed"
        return f"ran and {said}, as the agent says. No check looked at it."
    match row.verdict:
        case "success":
            also = "; the agent said failure" if row.disagreement else ""
            return f"ran and succeeded{also}."
        case "failure":
            return f"ran and failed{', which the agent missed' if row.disagreement else ''}."
        case _:
            return "ran; whether it succeeded is unknown."


def value_seen(row: Call) -> Json:
    """The value that the deciding rule saw; a long one was cut and is text."""
    try:
        value: Json = json.loads(row.check_value) if row.check_value else None
    except ValueError:
        return row.check_value
    return value


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

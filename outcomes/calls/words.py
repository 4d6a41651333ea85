"""Texts about calls: headlines, recorded decisions and events."""

from collections.abc import Sequence
from typing import Final, assert_never

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import counted, without_marks
from governance.core.json_value import Json
from outcomes.calls.domain import is_as_sent
from outcomes.figures.domain.figures import Figures
from outcomes.models import Call
from outcomes.record.classification import AgentCheck
from outcomes.record.event import (
    Allowed,
    ApprovalRejected,
    ApprovalRequested,
    ApprovalTimedOut,
    Blocked,
    Event,
    Executed,
    Failed,
    Granted,
    Note,
    Posted,
    WouldBlock,
)


def calls_sentence(now: Figures, show: str, suspected: int = 0, tool: str = "") -> str:
    """Headline such as `1,336 calls: 24 failed, 66 denied, 42 in doubt`."""
    about = f"{tool}: " if tool else ""
    calls = counted(now.calls, "call")
    match show:
        case "denied":
            return f"{about}{now.denied:,} of {calls} denied"
        case "failures":
            return f"{about}{now.failures:,} of {counted(now.judged, 'call')} failed"
        case "ran-failed":
            return (
                f"{about}{now.ran_and_failed:,} of {counted(now.returned, 'call')} ran and failed"
            )
        case "disagree":
            judged = counted(now.judged, "call")
            return f"{about}agent and check disagree on {now.disagreements:,} of {judged}"
        case _:
            return f"{about}{calls}{_trouble(now, suspected)}"


def _trouble(now: Figures, suspected: int) -> str:
    numbers = {"failed": now.failures, "denied": now.denied, "in doubt": suspected}
    parts = [f"{number:,} {word}" for word, number in numbers.items() if number]
    if now.is_unchecked:
        parts.append("no outputs, so none checked")
    if not parts:
        return ", no failures or denials" if now.calls else ""
    return f": {', '.join(parts)}"


def call_sentence(row: Call, *, is_late: bool = False, is_suspected: bool = False) -> SafeString:
    """Headline of a call. It never claims a success that a suggestion contradicts."""
    if is_suspected:
        return format_html(
            "<code>{}</code>: the output looks like a failure, and no check covers it",
            row.tool.name,
        )
    return format_html("<code>{}</code> {}", row.tool.name, _became(row, is_late=is_late))


def _became(row: Call, *, is_late: bool) -> str:
    match row.kind:
        case "":
            if is_late:
                return "was allowed, no result reported"
            return "is waiting for approval" if row.approval_requested else "is running"
        case "denied":
            return f"was denied: {row.reason}"
        case "timeout":
            return f"timed out{_but(row)}"
        case "failure":
            return f"failed{_but(row)}"
        case _:
            return _ran(row)


def _but(row: Call) -> str:
    return ", the agent reported success" if row.disagreement else ""


def _ran(row: Call) -> str:
    if row.decided_by == "agent":
        unchecked = ", not checked" if row.classified == "" else ""
        return f"ran, reported as {row.verdict}{unchecked}"
    match row.verdict:
        case "success":
            also = ", the agent reported failure" if row.disagreement else ""
            return f"succeeded{also}"
        case "failure":
            return "failed silently" if row.disagreement else "failed"
        case _:
            return "ran without a verdict"


_DENIED_BY: Final = {
    "limit": "a session limit",
    "workflow": "a workflow",
    "contract": "a contract rule",
}


def recorded_words(row: Call) -> str:
    """Decision that the agent reported, with names in backticks."""
    rule = f"`{without_marks(row.rule)}`" if row.rule else ""
    match row.kind:
        case "denied" if row.reason == "approval":
            return f"Denied: approval{f' for {rule}' if rule else ''} rejected or expired"
        case "denied" if row.reason == "limit" and rule:
            return f"Denied by session limit {rule}"
        case "denied":
            return f"Denied by {rule or _DENIED_BY.get(row.reason, f'the agent: {row.reason}')}"
        case "" if row.approval_requested:
            return "Approval pending"
        case _ if row.would_deny:
            return f"Allowed: {rule or 'a rule'} is in observe mode"
        case _:
            return "Allowed after approval" if row.approval_requested else "Allowed"


def difference_words(*, denies: bool, by: Sequence[str], args: Json) -> str:
    """Decision on re-evaluation, and why it may differ."""
    names = ", ".join(f"`{name}`" for name in by)
    decision = f"Re-evaluated now: {f'denied by {names}' if denies else 'allowed'}."
    if args is None:
        return f"{decision} The agent didn't report the arguments."
    if not is_as_sent(args):
        return f"{decision} Some arguments were masked or cut before they were stored."
    return f"{decision} Some inputs the agent had weren't reported."


def decider_sentence(row: Call, own: AgentCheck | None) -> str:
    """Sentence that explains why this check, agent or type decided the verdict."""
    match row.decided_by:
        case "type":
            return f"A {row.kind} is always a failure. No check runs."
        case "check":
            return "A binding names this check, so it decides."
        case "default":
            return "No binding names a check for this call, so the default check decides."
        case "agent" if own is not None:
            return f"No binding names a check for this call, so the agent's {_name(own)} decides."
        case "agent" if row.classified and row.verdict == "failure":
            return "The agent decides: it may know of a failure that the output does not show."
        case "agent":
            return "The agent decides: no check gave a verdict."
        case _:
            return "Neither a check nor the agent gave a verdict." if row.verdict else ""


def _name(own: AgentCheck) -> str:
    if own.name == "custom":
        return "own check"
    return f"check {own.name}" if own.version is None else f"check {own.name} v{own.version}"


def event_words(event: Event) -> str:
    words = _report_words(event)
    if event.rule:
        words += f", by {event.rule}"
    if event.reported:
        words += f", reported {event.reported}"
    return words


def _report_words(event: Event) -> str:
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
            return "approval expired"
        case Allowed():
            return "allowed"
        case ApprovalRequested():
            return "approval requested"
        case Granted():
            return "approval granted"
        case WouldBlock():
            return "would have been denied"
        case Note(name=name):
            return name.replace("_", " ")
        case _ as never:
            assert_never(never)

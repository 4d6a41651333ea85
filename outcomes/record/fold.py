"""Folding: all events about a call merged into one call."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from governance.core.verdict import Verdict
from outcomes.record.call import Call
from outcomes.record.completion import (
    completed,
    completed_outcome,
    elapsed_of,
    first_elapsed,
    outcome_of,
    verdict_of_action,
)
from outcomes.record.event import UNKNOWN_AGENT, ApprovalRequested, Event, Note, WouldBlock
from outcomes.record.outcome import ToolDenied
from outcomes.record.ownership import without_foreign


def fold(events: Sequence[Event]) -> Call | None:
    """The call described by these events, or None if they contain only notes or foreign events."""
    ranked = events if len(events) == 1 else _ranked(without_foreign(events))
    if len(ranked) > 1:
        return _call_of_several(ranked)
    return _call_of_one(ranked[0]) if ranked else None


def _call_of_one(event: Event) -> Call | None:
    report = event.report
    if isinstance(report, Note):
        return None
    outcome = outcome_of(event)
    return Call(
        account=event,
        outcome=outcome,
        at=event.timestamp,
        order=event.order,
        reported=event.reported or verdict_of_action(report),
        elapsed_ms=elapsed_of(event),
        from_sdk=event.from_sdk,
        approval_requested=isinstance(report, ApprovalRequested),
        would_block=isinstance(report, WouldBlock),
        lost_arguments=event.lost_arguments,
    )


def _call_of_several(ranked: Sequence[Event]) -> Call:
    winner, *others = ranked
    only_marks = isinstance(winner.report, WouldBlock)
    # "Would be denied" only sets its flag if the call has any other event.
    telling = [event for event in others if only_marks or not isinstance(event.report, WouldBlock)]
    outcome = outcome_of(winner)
    if outcome is not None:
        outcome = completed_outcome(outcome, telling)
    ran = outcome is not None and not isinstance(outcome, ToolDenied)
    reports = {type(event.report) for event in ranked}
    return Call(
        account=completed(winner, telling),
        outcome=outcome,
        at=min([event.timestamp for event in ranked]),
        order=min([event.order for event in ranked]),
        reported=_reported(ranked),
        elapsed_ms=first_elapsed([winner, *telling]) if ran else None,
        from_sdk=True in {event.from_sdk for event in ranked},
        approval_requested=ApprovalRequested in reports,
        would_block=WouldBlock in reports,
        conflict=_is_conflict(ranked),
        lost_arguments=True in {event.lost_arguments for event in ranked},
    )


def _ranked(events: Iterable[Event]) -> list[Event]:
    """Events without duplicates and notes, strongest first."""
    accepted: dict[bytes, Event] = {}
    for event in events:
        same = accepted.get(event.digest)
        # The store keeps the first accepted copy of a repeated event, so folding must too.
        if same is None or _acceptance(event) < _acceptance(same):
            accepted[event.digest] = event
    reports = [event for event in accepted.values() if not isinstance(event.report, Note)]
    return sorted(reports, key=_rank, reverse=True)


def _acceptance(event: Event) -> tuple[int, datetime, bytes]:
    return event.order, event.timestamp, event.tie


def _rank(event: Event) -> tuple[int, datetime, bytes]:
    return event.report.strength, event.timestamp, event.tie or event.digest


def _reported(ranked: Sequence[Event]) -> Verdict | None:
    """Verdict of the newest event that has one, else the verdict that the action implies."""
    carrying = [event for event in ranked if event.reported is not None]
    if carrying:
        return max(carrying, key=lambda event: (event.timestamp, _rank(event))).reported
    # Executed and failed are equally strong, so the first of them in this order is the newest.
    verdicts = (verdict_of_action(event.report) for event in ranked)
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _is_conflict(events: Sequence[Event]) -> bool:
    tools = {event.tool_name for event in events}
    agents = {event.agent_id for event in events} - {UNKNOWN_AGENT}
    sessions = {event.session_id for event in events} - {None}
    return len(tools) > 1 or len(agents) > 1 or len(sessions) > 1

"""Ownership of a call, where keys are bound to agents and report about calls of others.

A call belongs to the agent named by its first accepted event from a key without a binding, else by
its first accepted event. Reports of keys bound to other agents are stored and change nothing about
the call, in whatever order they arrive.
"""

from collections.abc import Sequence
from datetime import datetime

from governance.matching.globs import glob_matches
from outcomes.record.event import UNKNOWN_AGENT, Event, Note


def foreign(events: Sequence[Event]) -> list[Event]:
    """Those that a key bound to other agents reported about this call."""
    owner = _owner(events)
    return [event for event in events if _is_foreign(event, owner)]


def without_foreign(events: Sequence[Event]) -> Sequence[Event]:
    owner = _owner(events)
    if not owner:  # as of nearly all calls
        return events
    return [event for event in events if not _is_foreign(event, owner)]


def _owner(events: Sequence[Event]) -> str:
    """Empty where no key is bound, or no event names an agent."""
    if not any(event.bound_to for event in events):
        return ""
    naming = [
        event
        for event in events
        if event.agent_id != UNKNOWN_AGENT and not isinstance(event.report, Note)
    ]
    return min(naming, key=_precedence).agent_id if naming else ""


def _precedence(event: Event) -> tuple[bool, int, datetime, bytes]:
    return event.bound_to != "", event.order, event.timestamp, event.tie or event.digest


def _is_foreign(event: Event, owner: str) -> bool:
    """A note changes nothing about any call."""
    is_bound = event.bound_to != "" and owner != "" and not isinstance(event.report, Note)
    return is_bound and not glob_matches(event.bound_to, owner)

"""Ownership of a call when keys are bound to agents and report other agents' calls.

A call belongs to the agent in its first accepted event from an unbound key, else in its first
accepted event. Reports from keys bound to other agents are stored but never change the call, in
whatever order they arrive.
"""

from collections.abc import Sequence
from datetime import datetime

from governance.matching.globs import glob_matches
from outcomes.record.event import UNKNOWN_AGENT, Event, Note


def foreign(events: Sequence[Event]) -> list[Event]:
    """Events about this call from keys bound to other agents."""
    owner = _owner(events)
    return [event for event in events if _is_foreign(event, owner)]


def without_foreign(events: Sequence[Event]) -> Sequence[Event]:
    owner = _owner(events)
    if not owner:  # nearly all calls
        return events
    return [event for event in events if not _is_foreign(event, owner)]


def _owner(events: Sequence[Event]) -> str:
    """Agent that owns the call. Empty if no key is bound or no event names an agent."""
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
    """Whether an event comes from a key bound to other agents. Notes never count."""
    is_bound = event.bound_to != "" and owner != "" and not isinstance(event.report, Note)
    return is_bound and not glob_matches(event.bound_to, owner)

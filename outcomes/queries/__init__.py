"""Every read of outcomes, split by noun; each starts from a project."""

from outcomes.queries.artifacts import artifact_with, artifacts_among
from outcomes.queries.calls import (
    CallFilter,
    StoredEvent,
    WholeCall,
    call_named,
    calls,
    calls_before,
    events_of,
    newest_events,
    read_events,
    whole_calls,
)
from outcomes.queries.session_reports import (
    SessionReport,
    calls_in_order,
    report_of,
    session_named,
    sessions,
    turns_among,
)
from outcomes.queries.settling import Backlog, backlog, is_settled, newest_batch

__all__ = [
    "Backlog",
    "CallFilter",
    "SessionReport",
    "StoredEvent",
    "WholeCall",
    "artifact_with",
    "artifacts_among",
    "backlog",
    "call_named",
    "calls",
    "calls_before",
    "calls_in_order",
    "events_of",
    "is_settled",
    "newest_batch",
    "newest_events",
    "read_events",
    "report_of",
    "session_named",
    "sessions",
    "turns_among",
    "whole_calls",
]

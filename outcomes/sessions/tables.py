"""Columns of exported session tables, with the names that the API uses."""

from typing import Any, Final

from governance.core.tables import Columns
from outcomes.models import SavedView, Session
from outcomes.sessions.domain.comparison import ToolCounts

SESSIONS: Final[Columns[Session]] = {
    "session_id": lambda row: row.session_id,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent.name if row.agent else None,
    "contract": lambda row: row.version.bundle.name if row.version else None,
    "version": lambda row: row.version.number if row.version else None,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
    "attempts": lambda row: row.attempts,
    "executions": lambda row: row.executions,
    "successes": lambda row: row.successes,
    "failures": lambda row: row.failures,
    "unknown": lambda row: row.unknown,
    "denied": lambda row: row.denied,
    "open": lambda row: row.open,
    "disagreements": lambda row: row.disagreements,
    "artifacts": lambda row: row.artifacts,
    "stopped": lambda row: row.stopped or None,
    "limit": lambda row: row.limit_name or None,
    "waste": lambda row: row.waste,
    "same_call_denied": lambda row: row.loop,
}
SAVED_VIEWS: Final[Columns[SavedView]] = {
    "name": lambda row: row.name,
    "query": lambda row: row.query,
    "shared": lambda row: row.owner_id is None,
    "author": lambda row: row.author,
    "saved_at": lambda row: row.at,
}
LIMITS_OF_TWO: Final[Columns[dict[str, Any]]] = {
    "limit": lambda row: row["name"],
    "value": lambda row: row["limit"],
    "counting": lambda row: row["words"],
    "first": lambda row: row["used"][0],
    "second": lambda row: row["used"][1],
}
TOOLS_OF_TWO: Final[Columns[tuple[str, ToolCounts, ToolCounts]]] = {
    "tool_name": lambda row: row[0],
    "first_calls": lambda row: row[1].calls,
    "first_failures": lambda row: row[1].results.failures,
    "first_denied": lambda row: row[1].denied,
    "second_calls": lambda row: row[2].calls,
    "second_failures": lambda row: row[2].results.failures,
    "second_denied": lambda row: row[2].denied,
}

"""Columns of downloaded tables, named as in the API."""

from typing import Any, Final

from governance.core.tables import Columns
from outcomes.models import Suggestion

SUGGESTIONS: Final[Columns[Suggestion]] = {
    "tool_name": lambda row: row.tool.name,
    "check": lambda row: row.check_name,
    "rule": lambda row: row.rule,
    "results": lambda row: row.results,
    "of": lambda row: row.of,
    "judged_by": lambda row: row.judge or None,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
}
DISMISSED: Final[Columns[Suggestion]] = {
    "tool_name": lambda row: row.tool.name,
    "check": lambda row: row.check_name,
    "rule": lambda row: row.rule,
    "dismissed_by": lambda row: row.dismissed_by,
    "dismissed_at": lambda row: row.dismissed_at,
}
SAMPLES_OF_SUGGESTION: Final[Columns[tuple[Suggestion, dict[str, Any]]]] = {
    "tool_name": lambda row: row[0].tool.name,
    "check": lambda row: row[0].check_name,
    "rule": lambda row: row[0].rule,
    "shape": lambda row: row[1]["shape"],
    "results": lambda row: row[1]["results"],
    "agent_id": lambda row: row[1]["agent"],
    "call_id": lambda row: row[1]["call"],
    "environment": lambda row: row[1]["environment"],
    "timestamp": lambda row: row[1]["at"],
}

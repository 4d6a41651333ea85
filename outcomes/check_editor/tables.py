"""Columns of downloaded tables, named as in the API."""

from typing import Final

from governance.checks.domain import Binding
from governance.core.tables import Columns
from outcomes.check_editor.domain.quotas import Partly

CALLS_BY_CHECK: Final[Columns[tuple[str, int, int]]] = {
    "check": lambda row: row[0],
    "calls": lambda row: row[1],
    "calls_before": lambda row: row[2],
}
CALLS_BY_LINE: Final[Columns[tuple[Binding, int]]] = {
    "environment": lambda row: row[0].environment,
    "agent": lambda row: row[0].agent,
    "tool": lambda row: row[0].tool,
    "check": lambda row: row[0].check,
    "calls": lambda row: row[1],
}
WITHOUT_CHECK: Final[Columns[Partly]] = {
    "tool_name": lambda row: row.tool,
    "calls": lambda row: row.calls,
    "calls_of_tool": lambda row: row.of,
}

"""Columns of downloaded tables, named as in the API."""

from typing import Final

from governance.core.tables import Columns
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.contract_pages.queries.observed import Line

RUNNING: Final[Columns[FleetAgent]] = {
    "agent_id": lambda row: row.name,
    "environment": lambda row: row.environment,
    "contract": lambda row: row.runs.bundle or None,
    "version": lambda row: row.runs.number,
    "standing": lambda row: row.state.value,
    "last_seen_at": lambda row: row.last_seen,
}
WOULD_DENY: Final[Columns[tuple[Line, str]]] = {
    "rule": lambda row: row[0].named.rule,
    "tool_name": lambda row: row[0].named.tool,
    "agent_id": lambda row: row[0].named.agent,
    "calls": lambda row: row[0].number,
    "looked_at_by": lambda row: row[1] or None,
}
SUMS: Final[Columns[tuple[str, int]]] = {
    "name": lambda row: row[0] or None,
    "calls": lambda row: row[1],
}

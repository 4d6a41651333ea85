"""Columns of exported denial tables, with the names that the API uses."""

from typing import Final

from governance.core.masking import masked_beginning
from governance.core.tables import Columns
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denial_sums import Denied
from outcomes.denials.queries.denials import Observed
from outcomes.figures.queries.groups import GroupFigures

DENIALS: Final[Columns[GroupFigures]] = {
    "reason": lambda row: row.reason,
    "rule": lambda row: row.rule or None,
    "tool_name": lambda row: row.tool,
    "agent_id": lambda row: row.agent,
    "details": lambda row: masked_beginning(row.text) or None,
    "denied": lambda row: row.calls,
    "denied_before": lambda row: row.before,
    "sessions": lambda row: row.sessions,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
}
RULES: Final[Columns[Denied]] = {
    "rule": lambda row: row.name,
    "contract": lambda row: row.contract or None,
    "version": lambda row: row.version,
    "denied": lambda row: row.calls,
    "denied_before": lambda row: row.before,
}
LOOPS: Final[Columns[Loop]] = {
    "session_id": lambda row: row.session_id,
    "environment": lambda row: row.environment,
    "agent_id": lambda row: row.agent,
    "tool_name": lambda row: row.tool,
    "reason": lambda row: row.reason,
    "rule": lambda row: row.rule or None,
    "times": lambda row: row.times,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
    "call_id": lambda row: row.call_id,
}
OBSERVED: Final[Columns[Observed]] = {
    "contract": lambda row: row.contract,
    "version": lambda row: row.version,
    "environment": lambda row: row.environment,
    "calls": lambda row: row.calls,
    "calls_before": lambda row: row.before,
    "last_at": lambda row: row.last_at,
}

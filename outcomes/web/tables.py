"""Columns of exported call lists, with the names that the API uses."""

from typing import Final

from governance.core.masking import masked_beginning
from governance.core.tables import Columns
from outcomes.models import Call

CALLS: Final[Columns[Call]] = {
    "call_id": lambda row: row.call_id,
    "tool_name": lambda row: row.tool.name,
    "agent_id": lambda row: row.agent.name,
    "session_id": lambda row: row.session.session_id if row.session else None,
    "turn_id": lambda row: row.turn_id or None,
    "environment": lambda row: row.environment.name,
    "timestamp": lambda row: row.at,
    "type": lambda row: row.kind or None,
    "reason": lambda row: row.reason or None,
    "detail": lambda row: masked_beginning(row.detail) or None,
    "rule": lambda row: row.rule or None,
    "verdict": lambda row: row.verdict or None,
    "decided_by": lambda row: row.decided_by or None,
    "reported": lambda row: row.reported or None,
    "classified": lambda row: row.classified or None,
    "disagreement": lambda row: row.disagreement,
    "check": lambda row: row.check_name or None,
    "check_version": lambda row: row.check_version,
    "check_rule": lambda row: row.check_rule or None,
    "cut": lambda row: row.cut,
    "elapsed_ms": lambda row: row.elapsed_ms,
}

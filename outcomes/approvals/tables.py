"""Columns of the approvals file, with the API's field names."""

from typing import Final

from governance.approvals.queries import Approval
from governance.core.tables import Columns

APPROVALS: Final[Columns[Approval]] = {
    "id": lambda row: row.code,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent_id,
    "session_id": lambda row: row.session_id or None,
    "tool_name": lambda row: row.tool_name,
    "message": lambda row: row.message,
    "asked_at": lambda row: row.created_at,
    "ends_at": lambda row: row.ends_at,
    "status": lambda row: row.current_status,
    "decided_by": lambda row: row.decided_by or None,
    "reason": lambda row: row.reason or None,
}

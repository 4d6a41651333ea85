"""Columns of downloaded tables of jobs and disagreements, named as in the API."""

from typing import Final

from governance.core.tables import Columns, columns_of_keys
from outcomes.models import Call, Rejudging
from outcomes.reclassification.queries.disagreements import Differing, Group
from outcomes.reclassification.words import RuleLine, ShiftLine, ToolLine

DISAGREEMENTS: Final[Columns[Group]] = {
    "agent_id": lambda row: row.agent,
    "tool_name": lambda row: row.tool,
    "check": lambda row: row.judge.name or None,
    "check_version": lambda row: row.judge.version,
    "agent_used": lambda row: row.reported_by.name if row.reported_by else None,
    "agent_used_version": lambda row: row.reported_by.version if row.reported_by else None,
    "agent_said_success": lambda row: row.agent_only_success,
    "agent_said_failure": lambda row: row.agent_only_failure,
    "newest_call_id": lambda row: row.call_id,
    "environment": lambda row: row.environment,
    "newest_at": lambda row: row.at,
}
REJUDGINGS: Final[Columns[Rejudging]] = {
    "id": lambda row: row.pk,
    "check": lambda row: row.check_name or None,
    "version": lambda row: row.check_version,
    "environment": lambda row: row.environment.name if row.environment else None,
    "agents": lambda row: row.agents,
    "tools": lambda row: row.tools,
    "filters": lambda row: row.filters,
    "status": lambda row: row.status,
    "calls": lambda row: row.total,
    "read": lambda row: row.passed,
    "author": lambda row: row.author,
    "created_at": lambda row: row.created_at,
}
FLIPS_BY_TOOL: Final[Columns[ToolLine]] = {
    "tool_name": lambda row: row.name,
    "calls": lambda row: row.calls,
    "successes_before": lambda row: row.before.successes,
    "failures_before": lambda row: row.before.failures,
    "successes_after": lambda row: row.after.successes,
    "failures_after": lambda row: row.after.failures,
    "newly_failed": lambda row: row.newly_failed,
    "newly_succeeded": lambda row: row.newly_succeeded,
    "otherwise": lambda row: row.otherwise,
}
FLIPS_BY_RULE: Final[Columns[RuleLine]] = {
    "check": lambda row: row.check,
    "rule": lambda row: row.rule,
    "decides": lambda row: row.judged,
    "newly_failed": lambda row: row.newly_failed,
    "newly_succeeded": lambda row: row.newly_succeeded,
    "otherwise": lambda row: row.otherwise,
}
SHIFTS: Final[Columns[ShiftLine]] = {
    "limit": lambda row: row.name,
    "assumed": lambda row: row.assumed,
    "sessions": lambda row: dict(row.counts),
}
FLIPPED: Final = columns_of_keys(
    *("flip", "before", "after", "call_id", "environment", "tool", "rule", "cut", "session"),
    *("agent", "at"),
)
VERDICTS: Final[Columns[tuple[str, str, int]]] = {
    "first": lambda row: row[0],
    "second": lambda row: row[1],
    "calls": lambda row: row[2],
}
TWO_VERDICTS: Final[Columns[tuple[Call, str, str]]] = {
    "call_id": lambda row: row[0].call_id,
    "tool_name": lambda row: row[0].tool.name,
    "environment": lambda row: row[0].environment.name,
    "timestamp": lambda row: row[0].at,
    "first": lambda row: row[1],
    "second": lambda row: row[2],
}
DIFFERING: Final[Columns[Differing]] = {
    "name": lambda row: row.name,
    "judged": lambda row: row.judged,
    "agent_said_success": lambda row: row.agent_only_success,
    "agent_said_failure": lambda row: row.agent_only_failure,
}

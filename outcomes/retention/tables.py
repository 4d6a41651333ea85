"""Columns of the exported table of retention rules."""

from typing import Final

from governance.core.tables import Columns
from outcomes.retention.queries.preview import RuleNow

RULES: Final[Columns[RuleNow]] = {
    "data": lambda row: row.rule.kind.value,
    "environment": lambda row: row.environment or None,
    "days": lambda row: row.rule.days,
    "is_default": lambda row: row.rule.is_default,
    "due_rows": lambda row: row.due.rows,
    "due_bytes": lambda row: row.due.bytes,
    "due_is_more": lambda row: row.due.is_more,
}

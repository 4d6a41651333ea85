"""Columns of downloaded tool tables, named as in the API."""

from typing import Final

from governance.core.tables import Columns
from outcomes.figures.queries.groups import GroupFigures
from outcomes.suggestions.domain.result_shapes import OfShape
from outcomes.tools.domain.tools import Compared

TOOLS: Final[Columns[tuple[Compared, str]]] = {
    "tool_name": lambda row: row[0].name,
    "calls": lambda row: row[0].now.calls,
    "successes": lambda row: row[0].now.successes,
    "failures": lambda row: row[0].now.failures,
    "unknown": lambda row: row[0].now.unknown,
    "rate": lambda row: row[0].now.rate,
    "lower": lambda row: row[0].now.bounds[0] if row[0].now.bounds else None,
    "upper": lambda row: row[0].now.bounds[1] if row[0].now.bounds else None,
    "ran_and_failed": lambda row: row[0].now.ran_and_failed,
    "disagreements": lambda row: row[0].now.disagreements,
    "denied": lambda row: row[0].now.denied,
    "open": lambda row: row[0].now.open,
    "p50_ms": lambda row: row[0].now.p50_ms,
    "p95_ms": lambda row: row[0].now.p95_ms,
    "p99_ms": lambda row: row[0].now.p99_ms,
    "calls_before": lambda row: row[0].before.calls,
    "rate_before": lambda row: row[0].before.rate,
    "ran_and_failed_before": lambda row: row[0].before.ran_and_failed,
    "disagreements_before": lambda row: row[0].before.disagreements,
    "denied_before": lambda row: row[0].before.denied,
    "p50_ms_before": lambda row: row[0].before.p50_ms,
    "p95_ms_before": lambda row: row[0].before.p95_ms,
    "p99_ms_before": lambda row: row[0].before.p99_ms,
    "check": lambda row: row[1],
}
_WITH_PREVIOUS: Final[Columns[Compared]] = {
    "calls": lambda row: row.now.calls,
    "successes": lambda row: row.now.successes,
    "failures": lambda row: row.now.failures,
    "unknown": lambda row: row.now.unknown,
    "rate": lambda row: row.now.rate,
    "denied": lambda row: row.now.denied,
    "calls_before": lambda row: row.before.calls,
    "rate_before": lambda row: row.before.rate,
}
AGENTS_OF_TOOL: Final[Columns[Compared]] = {"agent_id": lambda row: row.name, **_WITH_PREVIOUS}
TOOLS_OF_AGENT: Final[Columns[Compared]] = {"tool_name": lambda row: row.name, **_WITH_PREVIOUS}
GROUPS: Final[Columns[GroupFigures]] = {
    "tool_name": lambda row: row.tool,
    "type": lambda row: row.kind,
    "check": lambda row: row.check or None,
    "rule": lambda row: row.rule or None,
    "reason": lambda row: row.text or None,
    "calls": lambda row: row.calls,
    "calls_before": lambda row: row.before,
    "sessions": lambda row: row.sessions,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
    "new_since": lambda row: (
        f"{row.new_since.contract} v{row.new_since.version}" if row.new_since else None
    ),
    "gone_since": lambda row: row.gone_since,
}
SHAPES: Final[Columns[OfShape]] = {
    "shape": lambda row: row.shape.text,
    "results": lambda row: row.number,
    "successes": lambda row: row.successes,
    "failures": lambda row: row.failures,
    "unknown": lambda row: row.unknown,
}

"""What the files of tables hold that are parts of pages, in the words of the API."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from governance.checks.domain.bindings import Binding
from governance.contracts.queries.naming import Naming
from governance.core.masking import masked_text
from governance.core.tables import Columns
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.agents.queries.rollout import Taker
from outcomes.agents.views.skill_scans import Skill
from outcomes.check_editor.domain.quotas import Partly
from outcomes.contract_pages.queries.observed import Line
from outcomes.denials.queries.denials import Observed
from outcomes.ingest.queries.inbox import Fault
from outcomes.models import Backtest, Batch, Call, ChangedCall, Rejudging, SavedView, Suggestion
from outcomes.reclassification.queries.disagreements import Differing
from outcomes.reclassification.words import RuleLine, ShiftLine, ToolLine
from outcomes.sessions.domain.comparison import OfTool
from outcomes.suggestions.domain.result_shapes import OfShape


def _keys(*names: str) -> Columns[Mapping[str, Any]]:
    """Of rows that have these names themselves."""
    return {name: partial(_value, name=name) for name in names}


def _value(row: Mapping[str, Any], *, name: str) -> object:
    return row.get(name)


RUNNING: Final[Columns[FleetAgent]] = {
    "agent_id": lambda row: row.name,
    "environment": lambda row: row.environment,
    "contract": lambda row: row.runs.bundle or None,
    "version": lambda row: row.runs.number,
    "standing": lambda row: row.standing.value,
    "last_seen_at": lambda row: row.last_seen,
}
TAKING: Final[Columns[Taker]] = {
    "agent_id": lambda row: row.agent.name,
    "environment": lambda row: row.agent.environment,
    "taking": lambda row: row.taking.value,
    "runs": lambda row: row.agent.runs.number,
    "streams": lambda row: row.agent.streams,
    "last_seen_at": lambda row: row.agent.last_seen,
}
RULES_OF_MANIFEST: Final = _keys("id", "type", "tool", "mode")
SKILLS: Final[Columns[Skill]] = {
    "skill": lambda row: row.name,
    "risk": lambda row: row.risk,
    "found": lambda row: list(row.says),
}
BACKTESTS: Final[Columns[Backtest]] = {
    "id": lambda row: row.pk,
    "contract": lambda row: row.bundle_name,
    "version": lambda row: row.version.number if row.version else None,
    "revision_hash": lambda row: row.revision_hash,
    "environment": lambda row: row.environment.name if row.environment else None,
    "status": lambda row: row.status,
    "calls": lambda row: row.calls,
    "newly_denied": lambda row: row.newly_denied,
    "newly_allowed": lambda row: row.newly_allowed,
    "newly_asking": lambda row: row.newly_asking,
    "changed": lambda row: row.changed,
    "undetermined": lambda row: row.undetermined,
    "unchanged": lambda row: row.unchanged,
    "author": lambda row: row.author,
    "created_at": lambda row: row.created_at,
}
CHANGES_BY: Final[Columns[tuple[str, dict[str, int]]]] = {
    "name": lambda row: row[0],
    "newly_denied": lambda row: row[1]["newly_denied"],
    "newly_allowed": lambda row: row[1]["newly_allowed"],
    "newly_asking": lambda row: row[1]["newly_asking"],
    "changed": lambda row: row[1]["changed"],
    "undetermined": lambda row: row[1]["undetermined"],
}
LIMITS_OF_BACKTEST: Final[Columns[dict[str, Any]]] = {
    "limit": lambda row: row["name"],
    "rule": lambda row: row["rule"] or None,
    "assumed": lambda row: row["assumed"],
    "sessions_stopped": lambda row: row["sessions"]["recorded"],
    "by_executions": lambda row: row["sessions"]["executions"],
    "as_reported": lambda row: row["sessions"]["reported"],
    "as_classified": lambda row: row["sessions"]["classified"],
}
SAMPLES_OF_BACKTEST: Final = _keys(
    "change", "call_id", "environment", "tool_name", "was", "now", "rule", "session_id", "timestamp"
)
CHANGED_CALLS: Final[Columns[ChangedCall]] = {
    "change": lambda row: row.change,
    "call_id": lambda row: row.call.call_id,
    "environment": lambda row: row.call.environment.name,
    "tool_name": lambda row: row.call.tool.name,
    "agent_id": lambda row: row.call.agent.name,
    "session_id": lambda row: row.call.session.session_id if row.call.session else None,
    "was": lambda row: row.was,
    "was_rule": lambda row: row.was_rule or None,
    "now": lambda row: row.now,
    "rule": lambda row: row.rule or None,
    "timestamp": lambda row: row.at,
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
FLIPPED: Final = _keys(
    *("flip", "before", "after", "call_id", "environment", "tool", "rule", "cut", "session"),
    *("agent", "at"),
)
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
OBSERVED: Final[Columns[Observed]] = {
    "contract": lambda row: row.contract,
    "version": lambda row: row.version,
    "environment": lambda row: row.environment,
    "calls": lambda row: row.calls,
    "calls_before": lambda row: row.before,
    "last_at": lambda row: row.last_at,
}
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
    "agent_said_success": lambda row: row.agent_said_success,
    "agent_said_failure": lambda row: row.agent_said_failure,
}
NAMING: Final[Columns[Naming]] = {
    "document": lambda row: row.name,
    "is": lambda row: row.kind,
    "version": lambda row: row.number,
    "test": lambda row: row.test or None,
}
BATCHES: Final[Columns[Batch]] = {
    "id": lambda row: row.pk,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent or None,
    "items": lambda row: row.items,
    "tries": lambda row: row.tries,
    "error": lambda row: masked_text(row.error)[0],
    "received_at": lambda row: row.received_at,
    "set_aside_at": lambda row: row.set_aside_at,
}
FAULTS: Final[Columns[Fault]] = {
    "error": lambda row: row.error,
    "batches": lambda row: row.batches,
    "items": lambda row: row.items,
    "oldest_received_at": lambda row: row.oldest,
    "next_try_at": lambda row: row.next_try,
}
SAVED_VIEWS: Final[Columns[SavedView]] = {
    "name": lambda row: row.name,
    "query": lambda row: row.query,
    "shared": lambda row: row.owner_id is None,
    "author": lambda row: row.author,
    "saved_at": lambda row: row.at,
}
SHAPES: Final[Columns[OfShape]] = {
    "shape": lambda row: row.shape.text,
    "results": lambda row: row.number,
    "successes": lambda row: row.successes,
    "failures": lambda row: row.failures,
    "unknown": lambda row: row.unknown,
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
LIMITS_OF_TWO: Final[Columns[dict[str, Any]]] = {
    "limit": lambda row: row["name"],
    "value": lambda row: row["limit"],
    "counting": lambda row: row["words"],
    "first": lambda row: row["used"][0],
    "second": lambda row: row["used"][1],
}
TOOLS_OF_TWO: Final[Columns[tuple[str, OfTool, OfTool]]] = {
    "tool_name": lambda row: row[0],
    "first_calls": lambda row: row[1].calls,
    "first_failures": lambda row: row[1].results.failures,
    "first_denied": lambda row: row[1].denied,
    "second_calls": lambda row: row[2].calls,
    "second_failures": lambda row: row[2].results.failures,
    "second_denied": lambda row: row[2].denied,
}

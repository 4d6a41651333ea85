"""What the files of tables hold: the columns of each list, in the words of the API."""

from typing import Final

from governance.approvals.queries import Approval
from governance.core.masking import masked_beginning, masked_text
from governance.core.tables import Columns
from outcomes.agents.queries.fleet import Acted, FleetAgent
from outcomes.artifacts.queries.list import ArtifactRow
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denial_sums import Denied
from outcomes.figures.queries.groups import GroupFigures
from outcomes.ingest.queries.inbox import shown_excerpt
from outcomes.models import Call, RejectedItem, Session, Suggestion
from outcomes.reclassification.queries.disagreements import Group

SESSIONS: Final[Columns[Session]] = {
    "session_id": lambda row: row.session_id,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent.name if row.agent else None,
    "contract": lambda row: row.version.bundle.name if row.version else None,
    "version": lambda row: row.version.number if row.version else None,
    "first_at": lambda row: row.first_at,
    "last_at": lambda row: row.last_at,
    "attempts": lambda row: row.attempts,
    "executions": lambda row: row.executions,
    "successes": lambda row: row.successes,
    "failures": lambda row: row.failures,
    "unknown": lambda row: row.unknown,
    "denied": lambda row: row.denied,
    "open": lambda row: row.open,
    "disagreements": lambda row: row.disagreements,
    "artifacts": lambda row: row.artifacts,
    "stopped": lambda row: row.stopped or None,
    "limit": lambda row: row.limit_name or None,
    "waste": lambda row: row.waste,
    "same_call_denied": lambda row: row.loop,
}
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
ARTIFACTS: Final[Columns[ArtifactRow]] = {
    "artifact_id": lambda row: row.use.name,
    "environment": lambda row: row.use.environment.name,
    "stored": lambda row: row.use.artifact is not None,
    "media_type": lambda row: row.use.artifact.media_type if row.use.artifact else None,
    "size_bytes": lambda row: row.use.size_bytes,
    "stored_bytes": lambda row: row.stored_bytes,
    "summary": lambda row: masked_beginning(row.newest.detail) if row.newest else None,
    "agents": lambda row: row.agents,
    "newest_tool": lambda row: row.newest.tool.name if row.newest else None,
    "newest_call_id": lambda row: row.newest.call_id if row.newest else None,
    "references": lambda row: row.use.calls,
    "reads": lambda row: row.use.reads,
    "requests": lambda row: row.use.artifact.fetches if row.use.artifact else None,
    "first_at": lambda row: row.use.first_at,
    "last_at": lambda row: row.use.last_at,
}
AGENTS: Final[Columns[tuple[FleetAgent, Acted]]] = {
    "agent_id": lambda row: row[0].name,
    "environment": lambda row: row[0].environment,
    "standing": lambda row: row[0].standing.value,
    "streams": lambda row: row[0].streams,
    "runs_contract": lambda row: row[0].runs.bundle or None,
    "runs_version": lambda row: row[0].runs.number,
    "assigned": lambda row: row[0].assigned,
    "last_seen": lambda row: row[0].last_seen,
    "calls": lambda row: row[1].now.calls,
    "denied": lambda row: row[1].now.denied,
    "successes": lambda row: row[1].now.successes,
    "judged": lambda row: row[1].now.judged,
    "rate": lambda row: row[1].now.rate,
    "calls_before": lambda row: row[1].before.calls,
    "rate_before": lambda row: row[1].before.rate,
    "denied_before": lambda row: row[1].before.denied,
}
APPROVALS: Final[Columns[Approval]] = {
    "id": lambda row: row.code,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent_id,
    "session_id": lambda row: row.session_id or None,
    "tool_name": lambda row: row.tool_name,
    "message": lambda row: row.message,
    "asked_at": lambda row: row.created_at,
    "ends_at": lambda row: row.ends_at,
    "status": lambda row: row.status,
    "decided_by": lambda row: row.decided_by or None,
    "reason": lambda row: row.reason or None,
}
REJECTED: Final[Columns[RejectedItem]] = {
    "received_at": lambda row: row.received_at,
    "environment": lambda row: row.environment.name,
    "agent_id": lambda row: row.agent or None,
    "source": lambda row: row.source,
    "index": lambda row: row.index,
    "code": lambda row: row.code,
    "detail": lambda row: masked_text(row.detail)[0],
    "excerpt": lambda row: shown_excerpt(row),
}
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
DISAGREEMENTS: Final[Columns[Group]] = {
    "agent_id": lambda row: row.agent,
    "tool_name": lambda row: row.tool,
    "check": lambda row: row.judge.name or None,
    "check_version": lambda row: row.judge.version,
    "agent_used": lambda row: row.reported_by.name if row.reported_by else None,
    "agent_used_version": lambda row: row.reported_by.version if row.reported_by else None,
    "agent_said_success": lambda row: row.agent_said_success,
    "agent_said_failure": lambda row: row.agent_said_failure,
    "newest_call_id": lambda row: row.call_id,
    "environment": lambda row: row.environment,
    "newest_at": lambda row: row.at,
}
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

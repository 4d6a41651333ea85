"""Columns of downloaded agent tables, named as in the API."""

from typing import Final

from governance.core.tables import Columns, columns_of_keys
from outcomes.agents.queries.fleet import Acted, FleetAgent
from outcomes.agents.queries.rollout import Taker
from outcomes.agents.queries.skill_scans import Skill

AGENTS: Final[Columns[tuple[FleetAgent, Acted]]] = {
    "agent_id": lambda row: row[0].name,
    "environment": lambda row: row[0].environment,
    "standing": lambda row: row[0].state.value,
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
TAKING: Final[Columns[Taker]] = {
    "agent_id": lambda row: row.agent.name,
    "environment": lambda row: row.agent.environment,
    "taking": lambda row: row.taking.value,
    "runs": lambda row: row.agent.runs.number,
    "streams": lambda row: row.agent.streams,
    "last_seen_at": lambda row: row.agent.last_seen,
}
RULES_OF_MANIFEST: Final = columns_of_keys("id", "type", "tool", "mode")
SKILLS: Final[Columns[Skill]] = {
    "skill": lambda row: row.name,
    "risk": lambda row: row.risk,
    "found": lambda row: list(row.says),
}

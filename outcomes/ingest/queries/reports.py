"""Skill scans and manifests reported by an agent's own tools."""

from dataclasses import dataclass
from typing import Any

from governance.core.masking import Masking
from outcomes.models import Agent, AgentReport
from outcomes.record.codec import digest_of
from outcomes.record.wire.reports import unpacked_report

SHOWN = 40


@dataclass(frozen=True, slots=True)
class ReadReport:
    row: AgentReport
    body: dict[str, Any]


def reports_of(project_id: int, agent: str) -> list[ReadReport]:
    """Reports of an agent, newest first, from all environments and of both kinds."""
    rows = AgentReport.objects.filter(
        environment__project=project_id, agent__digest=digest_of(agent)
    )
    newest = rows.select_related("environment").order_by("-last_at", "-id")[:SHOWN]
    return [ReadReport(row, _shown(unpacked_report(bytes(row.body)))) for row in newest]


def _shown(body: dict[str, Any]) -> dict[str, Any]:
    shown = Masking(body).value(body)
    return shown if isinstance(shown, dict) else {}


def is_agent(project_id: int, name: str) -> bool:
    return Agent.objects.filter(project=project_id, digest=digest_of(name)).exists()

"""Agents that run each version of a contract, and calls that it denied."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q

from outcomes.agents.queries.fleet import FleetAgent, fleet_of_late
from outcomes.core.groups import DENIED
from outcomes.models import Call, CallGroup


@dataclass(frozen=True, slots=True)
class Running:
    """Agents that run a contract, or are assigned it."""

    agents: tuple[FleetAgent, ...]  # those with problems first
    knows_connections: bool

    def in_environment(self, name: str) -> list[FleetAgent]:
        return [each for each in self.agents if each.environment == name]


def running(project_id: int, bundle: str) -> Running:
    return running_each(project_id, [bundle])[bundle]


def running_each(project_id: int, bundles: Iterable[str]) -> dict[str, Running]:
    """Agents of several contracts by contract, from a single read of the fleet."""
    fleet = fleet_of_late(project_id)
    return {
        bundle: Running(
            tuple(sorted((each for each in fleet.agents if _has(each, bundle)), key=_worst_first)),
            fleet.knows_connections,
        )
        for bundle in bundles
    }


def runs_version(agent: FleetAgent, bundle: str, number: int) -> bool:
    """Whether the agent runs this version, or was sent it last."""
    return (agent.newest.bundle, agent.newest.number) == (bundle, number)


class Denied(NamedTuple):
    now: int = 0
    before: int = 0


def denied_in(
    project_id: int, bundles: Iterable[int], since: datetime, cut: datetime, until: datetime
) -> dict[int, Denied]:
    """Number of calls denied for any reason under each contract, before and after the cut."""
    groups = CallGroup.objects.filter(project=project_id, of=DENIED)  # for an index
    denied = Call.objects.filter(
        group__in=groups.values("pk"),
        at__gte=since,
        at__lt=until,
        version__bundle__in=list(bundles),
    )
    denials = (
        denied.order_by()
        .values_list("version__bundle")
        .annotate(now=Count("id", filter=Q(at__gte=cut)), before=Count("id", filter=Q(at__lt=cut)))
    )
    return {bundle: Denied(*counted) for bundle, *counted in denials}


def _has(agent: FleetAgent, bundle: str) -> bool:
    # Tags can assign several contracts, so only what an agent runs shows which one it has.
    runs = agent.newest
    return runs.bundle == bundle or (not runs.is_known and bundle in agent.assigned)


def _worst_first(agent: FleetAgent) -> tuple[bool, str, str]:
    return not (agent.drifts or agent.is_stopped), agent.name, agent.environment

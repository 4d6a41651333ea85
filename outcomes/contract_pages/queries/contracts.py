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
    """The agents that run a contract, or are to run it."""

    agents: tuple[FleetAgent, ...]  # who does not stand well first
    knows_connections: bool

    def in_environment(self, name: str) -> list[FleetAgent]:
        return [each for each in self.agents if each.environment == name]


def running(project_id: int, bundle: str) -> Running:
    return running_each(project_id, [bundle])[bundle]


def running_each(project_id: int, bundles: Iterable[str]) -> dict[str, Running]:
    """The same of several contracts, for one look at the fleet."""
    fleet = fleet_of_late(project_id)
    return {
        bundle: Running(
            tuple(sorted((each for each in fleet.agents if _has(each, bundle)), key=_worst_first)),
            fleet.knows_connections,
        )
        for bundle in bundles
    }


def runs_version(agent: FleetAgent, bundle: str, number: int) -> bool:
    """Whether it runs this version, or was sent it last."""
    return (agent.newest.bundle, agent.newest.number) == (bundle, number)


class Denied(NamedTuple):
    now: int = 0
    before: int = 0


def denied_in(
    project_id: int, bundles: Iterable[int], since: datetime, cut: datetime, until: datetime
) -> dict[int, Denied]:
    """Calls that were denied, for whichever reason, while a version of each contract governed: up
    to the cut, and from there on."""
    groups = CallGroup.objects.filter(project=project_id, of=DENIED)  # by which an index finds them
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
    # Of several that its tags may bring it, only what it runs tells which it has.
    runs = agent.newest
    return runs.bundle == bundle or (not runs.is_known and bundle in agent.assigned)


def _worst_first(agent: FleetAgent) -> tuple[bool, str, str]:
    return not (agent.drifts or agent.is_stopped), agent.name, agent.environment

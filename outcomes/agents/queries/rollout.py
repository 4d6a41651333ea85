"""Agents of an environment that should run a contract, and their rollout state for one version."""

from dataclasses import dataclass

from outcomes.agents.domain.rollout import Taking, taking_of
from outcomes.agents.queries.fleet import FleetAgent, fleet_of_late

_ORDER = (Taking.WAITING, Taking.SENT, Taking.RUNNING, Taking.STOPPED)


@dataclass(frozen=True, slots=True)
class Taker:
    agent: FleetAgent
    taking: Taking


@dataclass(frozen=True, slots=True)
class Takers:
    rows: list[Taker]  # agents that don't run it yet first, then by name
    knows_connections: bool

    def number(self, *takings: Taking) -> int:
        return sum(each.taking in takings for each in self.rows)


def takers(project_id: int, *, environment: str, bundle: str, number: int) -> Takers:
    """Agents that run a version of the contract, were sent one, or are assigned it."""
    agents = fleet_of_late(project_id)
    rows = [
        Taker(
            each,
            taking_of(
                reported=each.reported,
                sent=each.sent,
                bundle=bundle,
                number=number,
                is_stopped=each.stop is not None,
            ),
        )
        for each in agents.agents
        if each.environment == environment
        and (each.newest.bundle == bundle or bundle in each.assigned)
    ]
    rows.sort(key=lambda each: _ORDER.index(each.taking))
    return Takers(rows, agents.knows_connections)

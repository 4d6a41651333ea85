"""Agents of a project: connections, contract versions and states.

A fixed number of queries reads all agents. Every poll evaluates the whole fleet, so details are
read only for the agents shown.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

from governance.delivery import news
from governance.delivery.queries.in_force import InForce, Stopped
from outcomes.agents.domain.fleet import (
    DRIFTS,
    IS_STOPPED,
    NOTHING,
    UNDER_WAY,
    AgentState,
    Runs,
    agent_state,
)
from outcomes.core.scope import Scope
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.place_figures import two_figures_by_place
from outcomes.models import AgentSeen, Event
from outcomes.record.codec import digest_of, item_of
from outcomes.record.wire import Source, family_of

LARGE = 500  # agents; smaller fleets are never cached
SHARED = 1.0  # seconds

Place = tuple[str, str]  # environment and name of the agent


@dataclass(frozen=True, slots=True)
class Acted:
    """Figures of an agent in one environment, now and in the previous period."""

    now: Figures = field(default_factory=Figures)
    before: Figures = field(default_factory=Figures)


@dataclass(slots=True, kw_only=True)
class FleetAgent:
    """One agent in one environment."""

    name: str
    environment: str
    row: tuple[int, int] | None = None  # ids of environment and agent, once stored
    connected_since: datetime | None = None
    streams: int = 0
    called_at: datetime | None = None
    heard_at: datetime | None = None  # last stream or report
    call: int | None = None  # event of the newest call, which names the SDK
    reported: Runs = NOTHING
    sent: Runs = NOTHING
    assigned: list[str] = field(default_factory=list)
    live: dict[str, int] = field(default_factory=dict)  # deployed version of each relevant contract
    stop: Stopped | None = None
    state: AgentState = AgentState.UNKNOWN

    @property
    def place(self) -> Place:
        return (self.environment, self.name)

    @property
    def last_seen(self) -> datetime | None:
        seen = (self.called_at, self.connected_since, self.heard_at)
        return max(filter(None, seen), default=None)

    @property
    def runs(self) -> Runs:
        """Contract of its newest call; before the first call, the one it was sent."""
        return self.reported if self.reported.revision else self.sent

    @property
    def is_only_heard_of(self) -> bool:
        """Whether it only connected or reported: no calls, and no contract sent."""
        return self.called_at is None and not self.sent.revision

    @property
    def drifts(self) -> bool:
        return self.state in DRIFTS

    @property
    def is_stopped(self) -> bool:
        return self.state in IS_STOPPED

    @property
    def has_called_since_stop(self) -> bool:
        at, stop = self.called_at, self.stop
        return at is not None and stop is not None and at > stop.at + UNDER_WAY

    @property
    def newest(self) -> Runs:
        """Newest contract it is known to have: the last one sent, else the one it reported."""
        return self.sent if self.sent.is_known else self.reported

    @property
    def deployed(self) -> int | None:
        """Deployed version of the contract that it runs."""
        return self.live.get(self.newest.bundle)


@dataclass(frozen=True, slots=True)
class Fleet:
    agents: list[FleetAgent]  # by name, then by environment
    in_force: InForce
    knows_connections: bool  # False while the broker is unreachable

    @property
    def stops(self) -> list[Stopped]:
        return self.in_force.stops


_looks: dict[int, tuple[float, Fleet]] = {}
_looking: dict[int, threading.Lock] = defaultdict(threading.Lock)


def fleet(project_id: int, *, name: str | None = None) -> Fleet:
    """All agents, or one agent in each of its environments."""
    reader = _Reader(project_id, name)
    reader.read_calls()
    knows = reader.read_streams()
    in_force = reader.judge()
    agents = sorted(reader.agents.values(), key=lambda each: (each.name, each.environment))
    return Fleet(agents, in_force, knows_connections=knows)


def fleet_of_late(project_id: int) -> Fleet:
    """Fleet for polling pages, which share one query of a large fleet for a moment."""
    with _looking[project_id]:
        shared = _looks.get(project_id)
        if shared is not None and shared[0] > time.monotonic():
            return shared[1]
        current = fleet(project_id)
        _looks.pop(project_id, None)
        if len(current.agents) > LARGE:
            _looks[project_id] = (time.monotonic() + SHARED, current)
        return current


def forget() -> None:
    """Clear this process's cache of fleets."""
    _looks.clear()


def acted_in(project_id: int, agents: Iterable[FleetAgent], scope: Scope) -> Mapping[Place, Acted]:
    places = {each.row: each.place for each in agents if each.row is not None}
    if not places:
        return {}
    numbers = {agent for _, agent in places}
    one = numbers.pop() if len(numbers) == 1 else None
    before, now = two_figures_by_place(
        project_id,
        "agent",
        since=scope.previous.since,
        cut=scope.since,
        until=scope.until,
        number=one,
    )
    nothing = Figures()
    return {
        place: Acted(now.get(row, nothing), before.get(row, nothing))
        for row, place in places.items()
    }


def families_of(agents: Iterable[FleetAgent]) -> dict[Place, str]:
    """SDK of each agent, as far as the first event of its newest call shows it."""
    calls = {each.call: each.place for each in agents if each.call}
    events = Event.objects.filter(pk__in=list(calls)).values_list("pk", "source", "item")
    return {
        calls[pk]: family_of(item_of(bytes(item)), cast(Source, source))
        for pk, source, item in events
    }


class _Reader:
    def __init__(self, project_id: int, name: str | None) -> None:
        self._project = project_id
        self._name = name
        self._reported: dict[Place, str] = {}  # hashes
        self._sent: dict[Place, str] = {}
        self.agents: dict[Place, FleetAgent] = {}

    def read_calls(self) -> None:
        rows = AgentSeen.objects.filter(environment__project=self._project)
        if self._name is not None:
            rows = rows.filter(agent__digest=digest_of(self._name))
        for (
            environment_id,
            environment,
            agent_id,
            name,
            at,
            heard,
            call,
            version,
        ) in rows.values_list(
            "environment",
            "environment__name",
            "agent",
            "agent__name",
            "at",
            "heard_at",
            "call_id",
            "call__policy_version",
        ):
            place = (environment, name)
            self.agents[place] = FleetAgent(
                name=name,
                environment=environment,
                row=(environment_id, agent_id),
                called_at=at,
                heard_at=heard,
                call=call,
            )
            self._reported[place] = version or ""

    def read_streams(self) -> bool:
        """True if the broker knows which agents are connected."""
        connected = news.connected(self._project)
        since: dict[Place, float] = {}
        for each in connected or ():
            if self._name not in (None, each.agent):
                continue
            place = (each.environment, each.agent)
            agent = self.agents.get(place)
            if agent is None:
                agent = FleetAgent(name=each.agent, environment=each.environment)
                self.agents[place] = agent
            agent.streams += 1
            if each.since >= since.get(place, 0.0):
                since[place] = each.since
                self._sent[place] = each.revision
        for place, seconds in since.items():
            self.agents[place].connected_since = datetime.fromtimestamp(seconds, UTC)
        return connected is not None

    def judge(self) -> InForce:
        hashes = {*self._reported.values(), *self._sent.values()}
        in_force = InForce(self._project, hashes)
        known = {each: _runs(each, in_force) for each in hashes}
        for place, agent in self.agents.items():
            agent.reported = known.get(self._reported.get(place, ""), NOTHING)
            agent.sent = known.get(self._sent.get(place, ""), NOTHING)
            agent.assigned = in_force.assigned(*place)
            agent.live = in_force.live(agent.environment)
            agent.stop = in_force.stop_of(*place)
            agent.state = agent_state(
                reported=agent.reported,
                sent=agent.sent,
                assigned=agent.assigned,
                live=agent.live,
                is_stopped=agent.stop is not None,
                has_called_since=agent.has_called_since_stop,
            )
        return in_force


def _runs(revision: str, in_force: InForce) -> Runs:
    known = in_force.named(revision)
    return Runs(revision, known.bundle, known.number) if known else Runs(revision)

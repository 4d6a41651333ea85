"""The agents of a project: who is connected, what each runs, and how that stands.

Read in a fixed number of queries, however many agents there are.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

from django.db.models import Sum

from governance import news
from governance.domain.success import Verdict
from governance.queries.in_force import InForce, Stopped
from outcomes.codec import digest_of, item_of
from outcomes.domain.fleet import DRIFTS, IS_STOPPED, NOTHING, Runs, Standing, standing_of
from outcomes.models import AgentMinute, AgentSeen, Event
from outcomes.wire import Source, family_of

Place = tuple[str, str]  # the environment and the name of the agent


@dataclass(slots=True)
class Today:
    """What an agent has called since midnight UTC."""

    calls: int = 0
    successes: int = 0
    judged: int = 0


@dataclass(slots=True, kw_only=True)
class FleetAgent:
    """One agent in one environment."""

    name: str
    environment: str
    connected_since: datetime | None = None
    streams: int = 0
    last_seen: datetime | None = None
    call: int | None = None  # the newest, of which the event tells the SDK
    reported: Runs = NOTHING
    sent: Runs = NOTHING
    assigned: list[str] = field(default_factory=list)
    live: dict[str, int] = field(default_factory=dict)  # of the bundles that matter to it
    stop: Stopped | None = None
    standing: Standing = Standing.UNKNOWN
    today: Today = field(default_factory=Today)

    @property
    def place(self) -> Place:
        return (self.environment, self.name)

    @property
    def runs(self) -> Runs:
        """By its newest call; before the first one, what it was sent."""
        return self.reported if self.reported.revision else self.sent

    @property
    def drifts(self) -> bool:
        return self.standing in DRIFTS

    @property
    def is_stopped(self) -> bool:
        return self.standing in IS_STOPPED

    @property
    def deployed(self) -> int | None:
        """The version that it should run of the bundle that it runs."""
        newest = self.sent if self.sent.is_known else self.reported
        return self.live.get(newest.bundle)


@dataclass(frozen=True, slots=True)
class Fleet:
    agents: list[FleetAgent]  # by name, then by environment
    stops: list[Stopped]
    knows_connections: bool  # false while the broker is silent


def fleet(project_id: int, now: datetime, *, name: str | None = None) -> Fleet:
    """All agents, or one of them in each of its environments."""
    reader = _Reader(project_id, name)
    reader.read_calls()
    knows = reader.read_streams()
    reader.judge()
    reader.count_since(now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0))
    agents = sorted(reader.found.values(), key=lambda each: (each.name, each.environment))
    return Fleet(agents, reader.stops, knows_connections=knows)


def families_of(agents: Iterable[FleetAgent]) -> dict[Place, str]:
    """The SDK of each as far as the event shows that began its newest call."""
    calls = {each.call: each.place for each in agents if each.call}
    found = Event.objects.filter(pk__in=list(calls)).values_list("pk", "source", "item")
    return {
        calls[pk]: family_of(item_of(bytes(item)), cast(Source, source))
        for pk, source, item in found
    }


class _Reader:
    def __init__(self, project_id: int, name: str | None) -> None:
        self._project = project_id
        self._name = name
        self._hashes: dict[tuple[Place, str], str] = {}  # by place and by who tells
        self.found: dict[Place, FleetAgent] = {}
        self.stops: list[Stopped] = []

    def read_calls(self) -> None:
        rows = AgentSeen.objects.filter(environment__project=self._project)
        if self._name is not None:
            rows = rows.filter(agent__digest=digest_of(self._name))
        for environment, name, at, call, version in rows.values_list(
            "environment__name", "agent__name", "at", "call_id", "call__policy_version"
        ):
            agent = self._at(environment, name)
            agent.last_seen, agent.call = at, call
            self._hashes[agent.place, "reported"] = version or ""

    def read_streams(self) -> bool:
        """Whether anybody could tell who is connected."""
        connected = news.connected(self._project)
        for each in connected or ():
            if self._name not in (None, each.agent):
                continue
            agent, since = self._at(each.environment, each.agent), _time(each.since)
            agent.streams += 1
            if agent.connected_since is None or since >= agent.connected_since:
                agent.connected_since = since
                self._hashes[agent.place, "sent"] = each.revision
            agent.last_seen = max(filter(None, (agent.last_seen, since)))
        return connected is not None

    def judge(self) -> None:
        in_force = InForce(self._project, self._hashes.values())
        self.stops = in_force.stops
        for place, agent in self.found.items():
            agent.reported = _runs(self._hashes.get((place, "reported"), ""), in_force)
            agent.sent = _runs(self._hashes.get((place, "sent"), ""), in_force)
            agent.assigned = in_force.assigned(*place)
            agent.live = in_force.live(agent.environment)
            agent.stop = in_force.stop_of(*place)
            agent.standing = standing_of(
                reported=agent.reported,
                sent=agent.sent,
                assigned=agent.assigned,
                live=agent.live,
                is_stopped=agent.stop is not None,
            )

    def count_since(self, midnight: datetime) -> None:
        rows = AgentMinute.objects.filter(environment__project=self._project, minute__gte=midnight)
        if self._name is not None:
            rows = rows.filter(agent__digest=digest_of(self._name))
        sums = rows.order_by().values("environment__name", "agent__name", "verdict")
        for row in sums.annotate(number=Sum("calls")):
            agent = self.found.get((row["environment__name"], row["agent__name"]))
            if agent is None:
                continue
            agent.today.calls += row["number"]
            if row["verdict"] == Verdict.SUCCESS:
                agent.today.successes += row["number"]
            if row["verdict"] in (Verdict.SUCCESS, Verdict.FAILURE):
                agent.today.judged += row["number"]

    def _at(self, environment: str, name: str) -> FleetAgent:
        return self.found.setdefault(
            (environment, name), FleetAgent(name=name, environment=environment)
        )


def _runs(revision: str, in_force: InForce) -> Runs:
    known = in_force.named(revision)
    return Runs(revision, known.bundle, known.number) if known else Runs(revision)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

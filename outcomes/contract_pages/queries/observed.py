"""Calls that a version in observe mode would have denied so far, by rule, tool and agent.

Which rules would have denied a call is stored only in events, one per rule. So rules and lines are
counted over the newest calls; tools, agents and the total over all calls."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from governance.deployments.queries import VersionThere
from outcomes.models import Call, Event, TickedLine
from outcomes.record.event import WouldBlock
from outcomes.stored.queries import read_events

COUNTED = 2_000  # calls; with more, people review samples, not each call
SAMPLES = 3


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """Rule, tool and agent of a line."""

    rule: str
    tool: str
    agent: str


@dataclass(slots=True, kw_only=True)
class Line:
    """One rule on one tool of one agent."""

    named: Named
    calls: list[Call] = field(default_factory=list)  # newest first
    ticked: TickedLine | None = None

    @property
    def number(self) -> int:
        return len(self.calls)

    @property
    def last_at(self) -> datetime:
        return self.calls[0].at

    @property
    def samples(self) -> list[Call]:
        return self.calls[:SAMPLES]

    @property
    def since(self) -> int:
        """Number of calls since the review."""
        return sum(call.pk > self.ticked.up_to for call in self.calls) if self.ticked else 0

    @property
    def is_settled(self) -> bool:
        return self.ticked is not None and not self.since


@dataclass(frozen=True, slots=True)
class Observed:
    lines: list[Line]  # unreviewed ones first, then by number of calls
    calls: int  # total
    counted: int  # calls that the lines cover
    by_tool: Mapping[str, int]  # all calls, each once even if several rules would have denied it
    by_agent: Mapping[str, int]

    def line(self, named: Named) -> Line | None:
        return next((line for line in self.lines if line.named == named), None)


def number_observed(live: Iterable[tuple[int, int]]) -> int:
    """Number of calls that these versions would have denied, each in its environment."""
    such = Q()
    for version, environment in live:
        such |= Q(version=version, environment=environment)
    return Call.objects.filter(such, would_deny=True).order_by().count() if such else 0


def observed(there: VersionThere) -> Observed:
    denials = Call.objects.filter(
        version=there.version, environment=there.environment, would_deny=True
    ).order_by()
    newest = denials.order_by("-id")
    rows = newest.select_related("tool", "agent", "environment")[:COUNTED]
    calls = {bytes(row.digest): row for row in rows}
    lines = _lines(calls, newest)
    ticks = TickedLine.objects.filter(version=there.version, environment=there.environment)
    for tick in ticks:
        if line := lines.get(Named(tick.rule, tick.tool, tick.agent)):
            line.ticked = tick
    listed = sorted(lines.values(), key=lambda line: (line.is_settled, -line.number, line.named))
    pairs = _pairs(denials) if len(calls) == COUNTED else _pairs_of(calls.values())
    by_tool, by_agent = Counter[str](), Counter[str]()
    for (tool, agent), number in pairs.items():
        by_tool[tool] += number
        by_agent[agent] += number
    return Observed(listed, pairs.total(), len(calls), by_tool, by_agent)


def _pairs(denials: QuerySet[Call, Call]) -> Counter[tuple[str, str]]:
    """Number of calls per tool and agent, read from an index and two small tables."""
    pairs = denials.values_list("tool__name", "agent__name").annotate(number=Count("id"))
    return Counter({(tool, agent): number for tool, agent, number in pairs})


def _pairs_of(calls: Iterable[Call]) -> Counter[tuple[str, str]]:
    return Counter((call.tool.name, call.agent.name) for call in calls)


def _lines(calls: dict[bytes, Call], newest: QuerySet[Call, Call]) -> dict[Named, Line]:
    lines: dict[Named, Line] = {}
    for digest, rule in _rules(calls, newest):
        call = calls[digest]
        named = Named(rule, call.tool.name, call.agent.name)
        line = lines.setdefault(named, Line(named=named))
        if not line.calls or line.calls[-1] is not call:  # sent twice with different timestamps
            line.calls.append(call)
    for line in lines.values():
        line.calls.sort(key=lambda call: call.pk, reverse=True)
    return lines


def _rules(calls: dict[bytes, Call], newest: QuerySet[Call, Call]) -> Iterable[tuple[bytes, str]]:
    """Digests of calls, each with a rule that would have denied it."""
    if not calls:
        return
    environment = next(iter(calls.values())).environment_id
    events = Event.objects.filter(
        environment=environment,
        set_apart=False,
        call_digest__in=newest.values("digest")[:COUNTED],
    )
    for each in read_events(events.select_related("agent", "environment").order_by("id")):
        digest = bytes(each.row.call_digest)
        if isinstance(each.event.report, WouldBlock) and digest in calls:
            yield digest, each.event.rule or ""

"""What the first page tells of a project: figures of a time and of the time before it, and what of
them stands out. Figures come from the rollups, the rest from indexes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final

from django.db.models import Count, Max, Q, QuerySet, Subquery

from outcomes.calls.queries.calls import CallFilter
from outcomes.core.figures import Figures
from outcomes.core.scope import Scope
from outcomes.figures.queries.by_tool import OfTool, read_tools
from outcomes.figures.queries.rollups import RateSlot, Slot
from outcomes.figures.queries.stats import StepFigures
from outcomes.models import Event, Session
from outcomes.record.codec import as_text, digest_of
from outcomes.record.sessions import sessions

STOPPED_SHOWN: Final = 5


@dataclass(frozen=True)
class Period:
    steps: list[StepFigures]
    by_tool: Mapping[str, Figures] = field(default_factory=dict)
    tools: Mapping[str, OfTool] = field(default_factory=dict)
    places: range = range(0)  # of its steps, among those of the tools

    @cached_property
    def whole(self) -> Figures:
        return summed(self.steps)

    def rates(self, tool: str) -> list[float | None]:
        """Step by step."""
        return self.tools[tool].rates(self.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedCounts:
    sessions: int
    stopped: int
    premature: int
    before: int  # stopped, in the time before
    sessions_before: int
    newest_event: int  # of the whole project; 0: none, or no session


def both_periods(scope: Scope, tool: int = 0, agent: int = 0) -> CallFilter:
    """The calls of a scope and of the one before it, to be told apart where the scope begins."""
    return CallFilter(
        environment=scope.environment,
        agent=scope.agent,
        tool_number=tool,
        agent_number=agent,
        since=scope.previous.since,
        until=scope.until,
    )


def two_periods(project_id: int, scope: Scope) -> tuple[Period, Period]:
    """That of the scope and the one before it, read at once."""
    spans = [*scope.previous.steps(), *scope.steps()]
    first = len(scope.previous.steps())
    steps = [Slot() for _ in spans]

    def slot_of(tool: OfTool, place: int) -> Slot:
        if place not in tool.steps:
            whole = tool.now if place >= first else tool.before
            tool.steps[place] = RateSlot(whole, steps[place])
        return tool.steps[place]

    tools = read_tools(project_id, scope, spans, slot_of)
    now = {name: tool.now.figures() for name, tool in tools.items()}
    before = {name: tool.before.figures() for name, tool in tools.items()}
    figures = [
        StepFigures(span.start, span.end, slot.figures())
        for span, slot in zip(spans, steps, strict=True)
    ]
    return (
        Period(figures[first:], _called(now), tools, range(first, len(spans))),
        Period(figures[:first], _called(before), tools, range(first)),
    )


def _called(tools: Mapping[str, Figures]) -> dict[str, Figures]:
    return {name: figures for name, figures in tools.items() if figures}


def periods(scope: Scope, steps: list[StepFigures]) -> tuple[Period, Period]:
    """The steps of both, taken apart."""
    now = len(scope.previous.steps())
    return Period(steps[now:]), Period(steps[:now])


def summed(steps: list[StepFigures]) -> Figures:
    found = Figures()
    for step in steps:
        _add(found, step.figures)
    return found


def stopped_counts(project_id: int, scope: Scope) -> StoppedCounts:
    now = Q(last_at__gte=scope.since)
    stopped = ~Q(stopped="")
    newest = Event.objects.filter(project=project_id).order_by("-id").values("id")[:1]
    rows = _sessions_in(Session.objects.filter(project=project_id), scope, scope.previous.since)
    found = rows.order_by().aggregate(
        all=Count("id", filter=now),
        all_before=Count("id", filter=~now),
        all_stopped=Count("id", filter=now & stopped),
        all_premature=Count("id", filter=now & Q(stopped=Session.Stopped.PREMATURE)),
        stopped_before=Count("id", filter=~now & stopped),
        newest=Max(Subquery(newest)),
    )
    return StoppedCounts(
        sessions=found["all"],
        stopped=found["all_stopped"],
        premature=found["all_premature"],
        before=found["stopped_before"],
        sessions_before=found["all_before"],
        newest_event=found["newest"] or 0,
    )


def newest_event(project_id: int) -> int:
    rows = Event.objects.filter(project=project_id).order_by("-id")
    return rows.values_list("id", flat=True).first() or 0


def newest_stopped(project_id: int, scope: Scope) -> list[Session]:
    found = sessions(project_id).exclude(stopped="").defer("tally")
    return list(_sessions_in(found, scope, scope.since)[:STOPPED_SHOWN])


def _sessions_in(found: QuerySet[Session], scope: Scope, since: datetime) -> QuerySet[Session]:
    found = found.filter(last_at__gte=since, last_at__lt=scope.until)
    if scope.environment:
        found = found.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        found = found.filter(agent__digest=digest_of(scope.agent))
    return found


def _add(found: Figures, more: Figures) -> None:
    # A sum of thousands of small figures: Counter's own update takes three times as long.
    counts, differing = found.counts, found.differing
    for became, calls in more.counts.items():
        counts[became] += calls
    for became, calls in more.differing.items():
        differing[became] += calls
    if more.durations:
        durations = found.durations
        for bucket, calls in more.durations.items():
            durations[bucket] += calls

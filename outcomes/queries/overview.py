"""What the first page tells of a project: figures of a time and of the time before it, and what of
them stands out. Figures come from the rollups, the rest from indexes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final

from django.db.models import Count, Max, Q, QuerySet, Subquery

from outcomes.codec import as_text, digest_of
from outcomes.domain.figures import Figures
from outcomes.domain.scope import Scope
from outcomes.models import Event, Session
from outcomes.queries.calls import CallFilter
from outcomes.queries.rollups import Slot
from outcomes.queries.session_reports import sessions
from outcomes.queries.stats import StepFigures, slots_by_over_time

STOPPED_SHOWN: Final = 5


@dataclass(frozen=True)
class Period:
    steps: list[StepFigures]
    by_tool: Mapping[str, Figures] = field(default_factory=dict)
    slots: Mapping[str, Mapping[int, Slot]] = field(default_factory=dict)  # of tools, by step

    @cached_property
    def whole(self) -> Figures:
        return summed(self.steps)

    def rates(self, tool: str) -> list[float | None]:
        """Step by step."""
        slots = self.slots[tool]
        return [slots[step].rate if step in slots else None for step in range(len(self.steps))]


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
    spans, found = slots_by_over_time(
        project_id, "tool", both_periods(scope), scope.step, scope.zone, scope.since
    )
    steps = [Slot() for _ in spans]
    now, before = _tools(), _tools()
    first = len(scope.previous.steps())
    for (tool, place), slot in found.items():
        steps[place].merge(slot)
        if place < first:
            before[tool][place] = slot
        else:
            now[tool][place - first] = slot
    figures = [
        StepFigures(span.start, span.end, slot.figures())
        for span, slot in zip(spans, steps, strict=True)
    ]
    return (
        Period(figures[first:], _by_tool(now), now),
        Period(figures[:first], _by_tool(before), before),
    )


def _tools() -> defaultdict[str, dict[int, Slot]]:
    return defaultdict(dict)


def _by_tool(tools: Mapping[str, Mapping[int, Slot]]) -> dict[str, Figures]:
    """Without those of which changes took back what was counted."""
    found = {}
    for name, slots in tools.items():
        whole = Slot()
        for slot in slots.values():
            whole.merge(slot)
        if figures := whole.figures():
            found[name] = figures
    return found


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

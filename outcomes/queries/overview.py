"""What the first page tells of a project: figures of a time and of the time before it, and what of
them stands out. Figures come from the rollups, the rest from indexes."""

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
from outcomes.queries.session_reports import sessions
from outcomes.queries.stats import StepFigures, figures_by_over_time

STOPPED_SHOWN: Final = 5


@dataclass(frozen=True)
class Period:
    steps: list[StepFigures]
    tools: Mapping[str, list[StepFigures]] = field(default_factory=dict)

    @cached_property
    def whole(self) -> Figures:
        return summed(self.steps)

    @cached_property
    def by_tool(self) -> dict[str, Figures]:
        return {name: summed(steps) for name, steps in self.tools.items()}


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
    tools = figures_by_over_time(
        project_id, "tool", both_periods(scope), scope.step, scope.zone, cut=scope.since
    )
    spans = [*scope.previous.steps(), *scope.steps()]
    steps = [StepFigures(each.start, each.end, Figures()) for each in spans]
    for of_tool in tools.values():
        for whole, each in zip(steps, of_tool, strict=True):
            _add(whole.figures, each.figures)
    return periods(scope, steps, tools)


def periods(
    scope: Scope, steps: list[StepFigures], tools: Mapping[str, list[StepFigures]]
) -> tuple[Period, Period]:
    """The steps of both, taken apart."""
    now = len(scope.previous.steps())
    return (
        Period(steps[now:], {name: rows[now:] for name, rows in tools.items()}),
        Period(steps[:now], {name: rows[:now] for name, rows in tools.items()}),
    )


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

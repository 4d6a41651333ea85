"""Denied calls of a time beside those of the time before, and the loops among them."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from django.db.models import Count, Max, Min, Q, QuerySet

from outcomes.codec import as_text, digest_of
from outcomes.domain.denials import Alike, Denials, DeniedAlike, Rule
from outcomes.domain.loops import LOOP, Loop
from outcomes.domain.scope import Scope
from outcomes.models import Call, Session
from outcomes.queries.calls import CallFilter, such_calls
from outcomes.queries.stats import figures_over_time

Row = TypeVar("Row", Call, Session)
LOOPS_SHOWN: Final = 20
_LOOKED_THROUGH: Final = 50


@dataclass(frozen=True, slots=True)
class DeniedOf:
    """What a page about denials tells: of all calls, how many and which were denied."""

    denials: Denials
    calls: int
    calls_before: int


def denied_of(project_id: int, scope: Scope, rule: Rule | None = None) -> DeniedOf:
    """Of one rule, where it is named."""
    wanted = CallFilter(
        environment=scope.environment,
        agent=scope.agent,
        since=scope.previous.since,
        until=scope.until,
    )
    time = scope.step, scope.zone
    steps = figures_over_time(project_id, wanted, *time, cut=scope.since)
    before = len(scope.previous.steps())
    return DeniedOf(
        _denials(project_id, scope, rule),
        sum(step.figures.calls for step in steps[before:]),
        sum(step.figures.calls for step in steps[:before]),
    )


def _denials(project_id: int, scope: Scope, rule: Rule | None) -> Denials:
    found = Call.objects.filter(
        project=project_id,
        kind=Call.Kind.DENIED,
        at__gte=scope.previous.since,
        at__lt=scope.until,
    )
    if rule is not None:
        found = found.filter(such_calls(wanted_of(rule)))
    rows = _of(found, scope).values_list(
        "at",
        "reason",
        "rule",
        "version__bundle__name",
        "version__number",
        "tool__name",
        "agent__name",
    )
    steps = scope.steps()
    borders = [step.start for step in steps[1:]]
    sums = Counter[tuple[Alike, int | None]]()
    for at, reason, name, contract, version, tool, agent in rows:
        step = bisect_right(borders, at) if at >= scope.since else None
        named = Rule(name, contract or "", version or 0)
        sums[Alike(reason, named, tool, agent), step] += 1
    return Denials(len(steps), [DeniedAlike(*key, calls) for key, calls in sums.items()])


@dataclass(frozen=True, slots=True)
class Observed:
    """Calls that ran although a version that observes would have denied them."""

    contract: str
    version: int
    environment: str
    calls: int
    before: int
    last_at: datetime


def observed_in(project_id: int, scope: Scope) -> list[Observed]:
    """Of each version in each environment; the most first."""
    found = Call.objects.filter(
        version__bundle__project=project_id,
        would_deny=True,
        at__gte=scope.previous.since,
        at__lt=scope.until,
    )
    now = Q(at__gte=scope.since)
    rows = (
        _of(found, scope)
        .values_list("version__bundle__name", "version__number", "environment__name")
        .annotate(calls=Count("id", filter=now), before=Count("id", filter=~now), last=Max("at"))
        .order_by("-calls", "-last")
    )
    return [Observed(*row) for row in rows]


def wanted_of(rule: Rule) -> CallFilter:
    return CallFilter(rule=rule.name, contract=rule.contract, version=rule.version or None)


def denial_loops(project_id: int, scope: Scope) -> list[Loop]:
    """Among the newest sessions that have so many denials at all."""
    found = Session.objects.filter(project=project_id, denied__gte=LOOP)
    newest = _of(found.filter(last_at__gte=scope.since), scope).order_by("-last_at", "-id")
    rows = (
        Call.objects.filter(
            session__in=newest.values("id")[:_LOOKED_THROUGH],
            kind=Call.Kind.DENIED,
            at__gte=scope.since,
            at__lt=scope.until,
        )
        .exclude(arguments=None)
        .order_by()
        .values(
            "session__session_id", "environment__name", "agent__name", "tool__name",
            "rule", "reason", "arguments",
        )
        .annotate(times=Count("id"), first_at=Min("at"), last_at=Max("at"), call=Max("call_id"))
        .filter(times__gte=LOOP)
        .order_by("-times", "-last_at")[:LOOPS_SHOWN]
    )  # fmt: skip
    return [
        Loop(
            session_id=row["session__session_id"],
            environment=row["environment__name"],
            agent=row["agent__name"],
            tool=row["tool__name"],
            rule=row["rule"],
            reason=row["reason"],
            times=row["times"],
            first_at=row["first_at"],
            last_at=row["last_at"],
            call_id=row["call"],
        )
        for row in rows
    ]


def _of(found: QuerySet[Row], scope: Scope) -> QuerySet[Row]:
    if scope.environment:
        found = found.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        found = found.filter(agent__digest=digest_of(scope.agent))
    return found.order_by()

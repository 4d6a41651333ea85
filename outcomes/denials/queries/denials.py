"""Denied calls of a period and the previous one, and denial loops."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeVar, cast

from django.db.models import Case, Count, Max, Q, QuerySet, Subquery, Sum, When, Window

from outcomes.core.scope import Scope
from outcomes.denials.domain import STILL, Loop
from outcomes.denials.queries.denial_sums import Denials, Denied, denials
from outcomes.figures.comparison import both_periods, newest_event
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.stats import NOBODY, figures_over_time, numbered
from outcomes.models import Agent, Call, Event, Session
from outcomes.models.sessions import LOOP
from outcomes.record.codec import as_text, digest_of

Row = TypeVar("Row", Call, Session)
LOOPS_SHOWN: Final = 20
TRENDS: Final = 15  # steps of the small charts in rows


@dataclass(frozen=True, slots=True)
class DeniedOf:
    """Denials and all calls of a period, and of the previous one.

    Counts and reasons come from rollups; agents and rules come from groups."""

    denials: Denials
    calls: int
    calls_before: int
    newest_event: int  # of the project, to detect changes


@dataclass(frozen=True, slots=True)
class DeniedBy:
    """Denials by one rule, and all calls of the period."""

    denials: Denials
    calls: int


def denied_of(project_id: int, scope: Scope) -> DeniedOf:
    agent, newest = _agent_and_newest(project_id, scope)
    before, now = _figures(project_id, scope, agent)
    sums = denials(project_id, scope, agent=agent, at_most=TRENDS)
    denied = [each.denied for each in now]
    counted = replace(
        sums,
        calls=sum(denied),
        before=sum(each.denied for each in before),
        steps=denied,
        by_reason=_by_reason(before, now),
    )
    return DeniedOf(
        denials=counted,
        calls=sum(each.calls for each in now),
        calls_before=sum(each.calls for each in before),
        newest_event=newest,
    )


def denied_by(project_id: int, scope: Scope, rule: str, *, with_contract: bool) -> DeniedBy:
    """Denials by one rule; `with_contract` also reads the contract of the rule's newest call."""
    agent = numbered(Agent, project_id, scope.agent)
    _, now = _figures(project_id, scope, agent)
    sums = denials(project_id, scope, agent=agent, rule=rule, with_contracts=with_contract)
    return DeniedBy(sums, sum(each.calls for each in now))


def _figures(
    project_id: int, scope: Scope, agent: int | None
) -> tuple[list[Figures], list[Figures]]:
    """Figures of all calls by step, in the previous and in the current period."""
    filters = both_periods(scope, agent=agent or 0)
    steps = figures_over_time(project_id, filters, scope.step, scope.zone, cut=scope.since)
    figures = [step.figures for step in steps]
    before = len(scope.previous.steps())
    return figures[:before], figures[before:]


def _by_reason(before: list[Figures], now: list[Figures]) -> list[Denied]:
    steps: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(now))
    earlier: Counter[str] = Counter()
    for place, figures in enumerate(now):
        for reason, each in figures.by_reason.items():
            steps[reason][place] = each.calls
    for figures in before:
        earlier.update({reason: each.calls for reason, each in figures.by_reason.items()})
    rows = [
        Denied(name=reason, calls=sum(steps[reason]), before=earlier[reason], steps=steps[reason])
        for reason in earlier.keys() | steps.keys()
    ]
    return sorted(rows, key=lambda each: (-each.calls, -each.before, each.name))


def _agent_and_newest(project_id: int, scope: Scope) -> tuple[int | None, int]:
    if not scope.agent:
        return None, newest_event(project_id)
    newest = Event.objects.filter(project=project_id).order_by("-id").values("id")[:1]
    known = Agent.objects.filter(project=project_id, digest=digest_of(scope.agent))
    row = known.values_list("pk", Subquery(newest)).first()
    return row or (NOBODY, newest_event(project_id))


@dataclass(frozen=True, slots=True)
class Observed:
    """Calls that ran but would have been denied by a version in observe mode."""

    contract: str
    version: int
    environment: str
    calls: int
    before: int
    last_at: datetime


def observed_in(project_id: int, scope: Scope) -> list[Observed]:
    """Observed denials by version and environment, most calls first."""
    calls_in_scope = Call.objects.filter(
        version__bundle__project=project_id,
        would_deny=True,
        at__gte=scope.previous.since,
        at__lt=scope.until,
    )
    now = Q(at__gte=scope.since)
    rows = (
        _in_scope(calls_in_scope, scope)
        .values_list("version__bundle__name", "version__number", "environment__name")
        .annotate(calls=Count("at", filter=now), before=Count("at", filter=~now), last=Max("at"))
        .order_by("-calls", "-last")
    )
    return [Observed(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Loops:
    """Longest loop of each session, for loops whose last denial is in the period."""

    shown: list[Loop]  # ongoing ones first, then by length
    number: int
    going: int
    before: int  # number in the previous period


def denial_loops(project_id: int, scope: Scope, now: datetime, shown: int = LOOPS_SHOWN) -> Loops:
    sessions = Session.objects.filter(
        project=project_id,
        loop__gte=LOOP,
        loop_last_at__gte=scope.previous.since,
        loop_last_at__lt=scope.until,
    )
    within, going = Q(loop_last_at__gte=scope.since), Q(loop_last_at__gt=now - STILL)
    rows = (
        _in_scope(sessions, scope, "loop_call__agent")
        .annotate(
            within=Case(When(within, then=1), default=0),
            goes_on=Case(When(within & going, then=1), default=0),
            number=Window(Sum("within")),
            going=Window(Sum("goes_on")),
            all=Window(Count("id")),
        )
        .select_related("environment", "loop_call__agent", "loop_call__tool")
        .defer("tally")
        .order_by("-within", "-goes_on", "-loop", "-loop_last_at")[:shown]
    )
    if not rows:
        return Loops([], number=0, going=0, before=0)
    counted = rows[0]
    return Loops(
        [_loop(row) for row in rows if row.within],
        number=counted.number,
        going=counted.going,
        before=counted.all - counted.number,
    )


def _loop(row: Session) -> Loop:
    call = row.loop_call
    return Loop(
        session_id=row.session_id,
        environment=row.environment.name,
        agent=call.agent.name if call else "",
        tool=call.tool.name if call else "",
        rule=call.rule if call else "",
        reason=call.reason if call else "",
        times=row.loop,
        first_at=cast(datetime, row.loop_first_at),
        last_at=cast(datetime, row.loop_last_at),
        call_id=call.call_id if call else "",
    )


def _in_scope(rows: QuerySet[Row], scope: Scope, agent: str = "agent") -> QuerySet[Row]:
    if scope.environment:
        rows = rows.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        rows = rows.filter(**{f"{agent}__digest": digest_of(scope.agent)})
    return rows.order_by()

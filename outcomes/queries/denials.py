"""Denied calls of a time beside those of the time before, and the loops among them."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar, cast

from django.db.models import Case, Count, Max, Q, QuerySet, When

from outcomes.codec import as_text, digest_of
from outcomes.domain.denials import Alike, Denials, DeniedAlike, Rule
from outcomes.domain.loops import LOOP, STILL, Loop
from outcomes.domain.scope import Scope
from outcomes.models import Call, Session
from outcomes.queries.calls import CallFilter, such_calls
from outcomes.queries.stats import figures_over_time

Row = TypeVar("Row", Call, Session)
LOOPS_SHOWN: Final = 20


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


@dataclass(frozen=True, slots=True)
class Loops:
    """Those whose last denial is in a time: of each session its longest."""

    shown: list[Loop]  # those that go on first, then the longest
    number: int
    going: int
    before: int  # how many in the time before


def denial_loops(project_id: int, scope: Scope, now: datetime, shown: int = LOOPS_SHOWN) -> Loops:
    found = Session.objects.filter(
        project=project_id,
        loop__gte=LOOP,
        loop_last_at__gte=scope.previous.since,
        loop_last_at__lt=scope.until,
    )
    found = _of(found, scope, "loop_call__agent")
    within, going = Q(loop_last_at__gte=scope.since), Q(loop_last_at__gt=now - STILL)
    told = found.aggregate(
        number=Count("id", filter=within),
        going=Count("id", filter=within & going),
        before=Count("id", filter=~within),
    )
    return Loops(
        [_loop(row) for row in _longest(found.filter(within), going, shown)]
        if told["number"]
        else [],
        **told,
    )


def _longest(found: QuerySet[Session], going: Q, shown: int) -> QuerySet[Session]:
    in_order = found.annotate(goes_on=Case(When(going, then=1), default=0))
    with_names = in_order.select_related(
        "environment", "loop_call__agent", "loop_call__tool"
    ).defer("tally")
    return with_names.order_by("-goes_on", "-loop", "-loop_last_at")[:shown]


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


def _of(found: QuerySet[Row], scope: Scope, agent: str = "agent") -> QuerySet[Row]:
    if scope.environment:
        found = found.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        found = found.filter(**{f"{agent}__digest": digest_of(scope.agent)})
    return found.order_by()

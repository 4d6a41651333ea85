"""Doubt about success rates: calls counted as success whose outputs look like failures.

Open suggestions list these calls, found among the newest outputs of each tool. The call's verdict
shows whether it still counts as success.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value

from outcomes.core.moments import Span
from outcomes.core.scope import Scope
from outcomes.figures.queries.stats import place_in
from outcomes.models import Call, Session, Suggestion, SuspectedCall

MOST: Final = 20_000  # calls; beyond that, the doubt is a lower bound
MOST_COUNTED: Final = 3_000  # calls per page of sessions; the longest sessions are not counted
_WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)


class Suspected(NamedTuple):
    """A suspected failure: its tool, agent, environment and time."""

    tool: str
    agent: str
    environment: str
    at: datetime


class Doubt:
    """Suspected failures in a scope."""

    def __init__(self, calls: Sequence[Suspected] = (), *, is_all: bool = True) -> None:
        self.calls = calls
        self.is_all = is_all  # otherwise there may be more: older outputs were not scanned

    def __len__(self) -> int:
        return len(self.calls)

    @cached_property
    def by_tool(self) -> Counter[str]:
        return Counter(call.tool for call in self.calls)

    @cached_property
    def by_place(self) -> Counter[tuple[str, str]]:
        """Number of suspected failures by environment and agent."""
        return Counter((call.environment, call.agent) for call in self.calls)

    def by_step(self, steps: Sequence[Span]) -> list[int]:
        place_of = place_in(list(steps))
        places = Counter(place_of(int(call.at.timestamp()) // 60) for call in self.calls)
        return [places[place] for place in range(len(steps))]


NO_DOUBT: Final = Doubt()


def doubt_in(project_id: int, scope: Scope, *, tool: str = "") -> Doubt:
    """Suspected failures in a scope, of all tools or of one."""
    rows = _suspected(project_id).filter(call__at__gte=scope.since, call__at__lt=scope.until)
    if scope.environment:
        rows = rows.filter(call__environment__name=scope.environment)
    if scope.agent:
        rows = rows.filter(call__agent__name=scope.agent)
    if tool:
        rows = rows.filter(suggestion__tool__name=tool)
    names = ("suggestion__tool__name", "call__agent__name", "call__environment__name", "call__at")
    calls = [Suspected(*row) for row in rows.values_list(*names)[: MOST + 1]]
    cut = _open(project_id).filter(scanned_since__gt=scope.since)
    if tool:
        cut = cut.filter(tool__name=tool)
    return Doubt(calls[:MOST], is_all=len(calls) <= MOST and not (calls and cut.exists()))


def suspected_by_session(project_id: int, sessions: Sequence[int]) -> dict[int, int]:
    """Number of suspected failures by session id; sessions without any are omitted."""
    rows = _suspected(project_id).filter(call__session__in=sessions)
    return dict(rows.values_list("call__session").annotate(Count("call")))


class SessionDoubt(NamedTuple):
    """Doubt about the success rate of a session."""

    suspected: int = 0  # successes that look like failures
    returned: int = 0  # calls that returned
    checked: int = 0  # returned calls that sent an output


def doubt_by_session(project_id: int, sessions: Sequence[Session]) -> dict[int, SessionDoubt]:
    """Doubt by session id. Sessions with too many calls to count get zeros if any call sent an
    output; if none did, they get one returned and no checked call."""
    few = _countable(sessions)
    many = [each.pk for each in sessions if each.successes and each.pk not in few]
    suspected = _suspected(project_id).filter(call__session__in=sessions)
    returned = Call.objects.filter(session__in=few, kind__in=_WITH_RESULT).order_by()
    sent = Call.objects.filter(session=OuterRef("pk")).exclude(check_name="")
    unchecked = Session.objects.filter(~Exists(sent), pk__in=many).order_by()
    counts = suspected.values_list("call__session").annotate(
        suspected=Count("call"), returned=Value(0), checked=Value(0)
    )
    counts = counts.union(
        returned.values_list("session").annotate(
            suspected=Value(0), returned=Count("pk"), checked=Count("pk", filter=~Q(check_name=""))
        ),
        unchecked.values_list("pk", Value(0), Value(1), Value(0)),
        all=True,
    )
    doubt = {each.pk: SessionDoubt() for each in sessions}
    for number, *more in counts:
        doubt[number] = SessionDoubt(*map(add, doubt[number], more))
    return doubt


def _countable(sessions: Sequence[Session]) -> frozenset[int]:
    """Sessions whose calls fit the page's limit, filled from the shortest up."""
    shortest = sorted(sessions, key=lambda each: each.executions)
    calls = accumulate(each.executions for each in shortest)
    return frozenset(
        each.pk for each, so_far in zip(shortest, calls, strict=True) if so_far <= MOST_COUNTED
    )


def is_suspected(call: Call) -> bool:
    """Whether an open suggestion lists this success as a failure."""
    return bool(suspected_among(call.project_id, [call]))


def suspected_among(project_id: int, calls: Iterable[Call]) -> frozenset[int]:
    """Ids of successful calls that an open suggestion lists as failures."""
    numbers = [call.pk for call in calls if call.verdict == "success"]
    if not numbers:
        return frozenset()
    rows = _suspected(project_id).filter(call__in=numbers)
    return frozenset(int(number) for number in rows.values_list("call", flat=True))


def _open(project_id: int) -> QuerySet[Suggestion]:
    return Suggestion.objects.filter(project=project_id, dismissed_at=None)


def _suspected(project_id: int) -> QuerySet[SuspectedCall]:
    return SuspectedCall.objects.filter(
        suggestion__project=project_id, suggestion__dismissed_at=None, call__verdict="success"
    ).order_by()

"""Lists of calls, newest events, and past verdicts of a call."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery

from outcomes.figures.queries.newest_of_groups import narrowed_to_newest
from outcomes.models import Call, PastVerdict, Session
from outcomes.models import Event as EventRow
from outcomes.models.sessions import LOOP
from outcomes.record.codec import digest_of
from outcomes.stored.queries import CALLS_SHOWN, PLACE_BY_TIME, CallFilter, calls
from outcomes.web.paging import Page, Place, page_of, place_of

MOST_FOLDS: Final = 20  # per session; further repeats are listed one by one
_SAME: Final = ("tool", "arguments", "reason", "rule")


@dataclass(frozen=True, slots=True)
class Fold:
    row: Call  # the newest one
    times: int
    first: int  # number of its first call in the session
    last: int
    first_at: datetime

    @property
    def interval(self) -> timedelta:
        return (self.row.at - self.first_at) / max(self.times - 1, 1)


def folds_of(session: Session) -> list[Fold]:
    """Repeated denied calls of a session, most frequent first."""
    if session.loop < LOOP:
        return []
    denied = in_session(session).filter(kind=Call.Kind.DENIED, arguments__isnull=False)
    groups = (
        denied.order_by()
        .values(*_SAME)
        .annotate(times=Count("id"), since=Min("at"), until=Max("at"))
        .filter(times__gte=LOOP)
        .order_by("-times", "until")[:MOST_FOLDS]
    )
    times = {_key(**{name: group[name] for name in _SAME}): group for group in groups}
    moments = {group[name] for group in times.values() for name in ("since", "until")}
    ends: dict[tuple[Any, ...], list[Call]] = {}
    for row in denied.filter(at__in=moments).select_related(*IN_LIST):
        key = _key(row.tool_id, row.arguments, row.reason, row.rule)
        if key in times:
            ends.setdefault(key, []).append(row)
    for rows in ends.values():
        rows.sort(key=place_in_session)
    numbers = numbers_of(session, [row for rows in ends.values() for row in (rows[0], rows[-1])])
    return [
        Fold(
            rows[-1],
            times[key]["times"],
            numbers[rows[0].pk],
            numbers[rows[-1].pk],
            rows[0].at,
        )
        for key, rows in ((key, ends[key]) for key in times if key in ends)
    ]


def same_as(row: Call) -> Q:
    """Condition for calls that fold with this one."""
    same = {"tool": row.tool_id, "reason": row.reason, "rule": row.rule}
    return Q(kind=Call.Kind.DENIED, arguments=row.arguments, **same)


def denied_call(session: Session, number: int) -> Call | None:
    """Denied call that can be folded, by its row id."""
    rows = in_session(session).filter(kind=Call.Kind.DENIED, arguments__isnull=False, pk=number)
    return rows.select_related("tool").first()


def _key(tool: int, arguments: Any, reason: str, rule: str) -> tuple[Any, ...]:
    return tool, bytes(arguments), reason, rule


PLACE_IN_SESSION: Final = ("at", "call_index", "order")
CALLS_BELOW: Final = 50  # calls listed below figures, which matter more than the list
IN_LIST: Final = ("agent", "tool", "environment")  # that name a row
IN_FILE: Final = (*IN_LIST, "session")

SHOWN: Final = {
    "failures": Q(verdict="failure"),
    "denied": Q(kind="denied"),
    "disagree": Q(disagreement=True),
    "ran-failed": Q(verdict="failure", kind__in=("execution_result", "artifact_reference")),
}


@dataclass(frozen=True, slots=True)
class Neighbours:
    earlier: Call | None
    later: Call | None


def calls_of_session(
    session: Session,
    *,
    show: str = "",
    such: Q | None = None,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[Call]:
    """Page of a session's calls; `such` is an additional condition."""
    calls = in_session(session).select_related(*IN_LIST)
    if show:
        calls = calls.filter(SHOWN[show])
    if such is not None:
        calls = calls.filter(such)
    return page_of(calls, PLACE_IN_SESSION, size=CALLS_SHOWN, before=before, after=after)


def calls_by_time(
    project_id: int,
    filters: CallFilter,
    *,
    without_session: bool = False,
    show: str = "",
    before: Place | None = None,
    after: Place | None = None,
    names: Sequence[str] = IN_LIST,
    size: int = 0,
) -> Page[Call]:
    """Page of calls, newest first; a `size` of 0 means CALLS_SHOWN."""
    size = size or CALLS_SHOWN
    matching = calls(project_id, filters).select_related(None).select_related(*names)
    if without_session:
        matching = matching.filter(session=None)
    if show:
        matching = matching.filter(SHOWN[show])
    if show == "denied" and after is None and not without_session:
        matching = narrowed_to_newest(matching, project_id, filters, size, before)
    return page_of(matching, PLACE_BY_TIME, size=size, before=before, after=after)


def numbers_of(session: Session, rows: Sequence[Call]) -> dict[int, int]:
    """Number of each call in its session, starting at 1."""
    if not rows:
        return {}
    newest = max(rows, key=place_in_session)
    up_to = in_session(session).filter(not_after(newest)).order_by(*PLACE_IN_SESSION)
    row_ids = {row.pk for row in rows}
    ids = enumerate(up_to.values_list("id", flat=True), start=1)
    return {row_id: number for number, row_id in ids if row_id in row_ids}


def number_of(session: Session, row: Call) -> int:
    return in_session(session).filter(not_after(row)).count()


def neighbours_of(row: Call) -> Neighbours:
    """Calls before and after one in its session, or among its agent's calls without a session."""
    columns: tuple[str, ...] = PLACE_IN_SESSION
    if row.session is not None:
        siblings = in_session(row.session)
    else:
        siblings = Call.objects.filter(project=row.project_id, agent=row.agent_id, session=None)
        columns = PLACE_BY_TIME
    earlier = siblings.filter(_beyond(row, columns, "lt")).order_by(
        *(f"-{name}" for name in columns)
    )
    later = siblings.filter(_beyond(row, columns, "gt")).order_by(*columns)
    both = siblings.filter(
        Q(pk=Subquery(earlier.values("pk")[:1])) | Q(pk=Subquery(later.values("pk")[:1]))
    )
    both = both.order_by()  # ordered, SQLite would scan all calls of the project
    rows = {_is_after(call, row, columns): call for call in both.select_related("environment")}
    return Neighbours(rows.get(False), rows.get(True))


def in_session(session: Session) -> QuerySet[Call]:
    return Call.objects.filter(project=session.project_id, session=session)


def place_in_session(row: Call) -> tuple[object, int, int]:
    return row.at, row.call_index, row.order


def not_after(row: Call) -> Q:
    same = Q(at=row.at)
    return (
        Q(at__lt=row.at)
        | same & Q(call_index__lt=row.call_index)
        | same & Q(call_index=row.call_index, order__lte=row.order)
    )


def _is_after(one: Call, other: Call, columns: Sequence[str]) -> bool:
    return place_of(one, columns) > place_of(other, columns)


def _beyond(row: Call, columns: Sequence[str], operator: str) -> Q:
    beyond, same = Q(), Q()
    for name in columns:
        beyond |= same & Q((f"{name}__{operator}", getattr(row, name)))
        same &= Q((name, getattr(row, name)))
    return beyond & Q((f"at__{operator}e", row.at))


def newest_events(
    project_id: int, *, agent: str = "", session: str = "", environment: str = ""
) -> QuerySet[EventRow]:
    """Events by acceptance order, newest first."""
    events = EventRow.objects.filter(project=project_id).select_related("agent", "environment")
    if environment:
        events = events.filter(environment__name=environment)
    if agent:
        events = events.filter(agent__digest=digest_of(agent))
    if session:
        session_calls = Call.objects.filter(project=project_id, session__digest=digest_of(session))
        # Filter by digest, which is indexed; the same id in another environment is another call.
        same = session_calls.filter(
            environment=OuterRef("environment"), digest=OuterRef("call_digest")
        )
        events = events.filter(Exists(same), call_digest__in=session_calls.values("digest"))
    return events.order_by("-id")


def past_verdicts(call: Call) -> Sequence[PastVerdict]:
    """Verdicts before the current one, newest first."""
    rows = PastVerdict.objects.filter(project=call.project_id, call=call.pk)
    return list(rows.order_by("-id"))

"""Folds: calls of a session that are the same and were denied, as one row of its table."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Max, Min, Q

from outcomes.calls.queries.lists import IN_LIST, in_session, numbers_of, place_in_session
from outcomes.models import Call, Session
from outcomes.models.sessions import LOOP

MOST_FOLDS: Final = 20  # of a session; the calls of others are listed one by one
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
    """Most frequent first."""
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
    """Calls that fold with this one."""
    same = {"tool": row.tool_id, "reason": row.reason, "rule": row.rule}
    return Q(kind=Call.Kind.DENIED, arguments=row.arguments, **same)


def denied_call(session: Session, number: int) -> Call | None:
    """A call that folds, by its row id."""
    rows = in_session(session).filter(kind=Call.Kind.DENIED, arguments__isnull=False, pk=number)
    return rows.select_related("tool").first()


def _key(tool: int, arguments: Any, reason: str, rule: str) -> tuple[Any, ...]:
    return tool, bytes(arguments), reason, rule

"""Sessions that a limit stopped: counts, and the newest ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Max, Q, QuerySet, Subquery

from outcomes.core.scope import Scope
from outcomes.models import Event, Session
from outcomes.record.codec import as_text, digest_of
from outcomes.stored.queries import sessions

STOPPED_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedCounts:
    sessions: int
    stopped: int
    premature: int
    before: int  # stopped in the previous period
    sessions_before: int
    newest_event: int  # in the project; 0 without events or sessions


def stopped_counts(project_id: int, scope: Scope) -> StoppedCounts:
    now = Q(last_at__gte=scope.since)
    stopped = ~Q(stopped="")
    newest = Event.objects.filter(project=project_id).order_by("-id").values("id")[:1]
    rows = _sessions_in(Session.objects.filter(project=project_id), scope, scope.previous.since)
    totals = rows.order_by().aggregate(
        all=Count("id", filter=now),
        all_before=Count("id", filter=~now),
        all_stopped=Count("id", filter=now & stopped),
        all_premature=Count("id", filter=now & Q(stopped=Session.Stopped.PREMATURE)),
        stopped_before=Count("id", filter=~now & stopped),
        newest=Max(Subquery(newest)),
    )
    return StoppedCounts(
        sessions=totals["all"],
        stopped=totals["all_stopped"],
        premature=totals["all_premature"],
        before=totals["stopped_before"],
        sessions_before=totals["all_before"],
        newest_event=totals["newest"] or 0,
    )


def newest_stopped(project_id: int, scope: Scope) -> list[Session]:
    stopped = sessions(project_id).exclude(stopped="").defer("tally")
    return list(_sessions_in(stopped, scope, scope.since)[:STOPPED_SHOWN])


def _sessions_in(rows: QuerySet[Session], scope: Scope, since: datetime) -> QuerySet[Session]:
    rows = rows.filter(last_at__gte=since, last_at__lt=scope.until)
    if scope.environment:
        rows = rows.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        rows = rows.filter(agent__digest=digest_of(scope.agent))
    return rows

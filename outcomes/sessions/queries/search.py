"""Session list of the API, filtered by columns of the sessions and of their calls."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from outcomes.models import Call, Session
from outcomes.record.codec import digest_of
from outcomes.search.queries.sessions import MatchingSessions as Matching
from outcomes.sessions.queries.list import in_search
from outcomes.stored.queries import CallFilter, sessions, such_calls

# Per request. A filter that hardly any session matches would otherwise check all of them, so a page
# may be shorter than its limit; the next page continues where it ended.
MOST_CHECKED: Final = 2_000

# Counts of a session that rule out most sessions without reading their calls.
_TYPES: Final = {
    "": Q(),
    "open": Q(open__gt=0),
    "denied": Q(denied__gt=0),
    "artifact_reference": Q(artifacts__gt=0),
}
_VERDICTS: Final = {
    "": Q(),
    "success": Q(successes__gt=0),
    "failure": Q(failures__gt=0),
    "unknown": Q(unknown__gt=0),
}


@dataclass(frozen=True, slots=True)
class MatchingSessions:
    rows: list[Session]
    end: tuple[datetime, int] | None  # start of the next page; None: this is the last one


def sessions_with(
    project_id: int,
    filters: CallFilter,
    *,
    limit: int,
    before: tuple[datetime, int] | None = None,
    matching: Matching | None = None,
) -> MatchingSessions:
    """Sessions with at least one call that matches the filter, newest activity first; `matching`
    limits them to a search."""
    sessions_left = _narrowed(project_id, filters)
    if matching is not None:
        sessions_left = sessions_left.filter(in_search(project_id, matching))
    if before is not None:
        at, number = before
        sessions_left = sessions_left.filter(
            Q(last_at__lt=at) | Q(last_at=at, id__lt=number), last_at__lte=at
        )
    such = such_calls(filters)
    if not such:
        rows = list(sessions_left[: limit + 1])
        return MatchingSessions(
            rows[:limit], _place(rows[limit - 1]) if len(rows) > limit else None
        )
    places = sessions_left.filter(_may_have(filters)).values_list("last_at", "id")[:MOST_CHECKED]
    checked = [(at, number) for at, number in places if at is not None]
    calls = Call.objects.filter(such, project=project_id, session=OuterRef("pk"))
    rows = list(
        sessions_left.filter(Exists(calls), pk__in=[number for _, number in checked])[: limit + 1]
    )
    if len(rows) > limit:
        return MatchingSessions(rows[:limit], _place(rows[limit - 1]))
    return MatchingSessions(rows, checked[-1] if len(checked) == MOST_CHECKED else None)


def _narrowed(project_id: int, filters: CallFilter) -> QuerySet[Session]:
    rows = sessions(project_id, environment=filters.environment, agent=filters.agent)
    if filters.session:
        rows = rows.filter(digest=digest_of(filters.session))
    if filters.since is not None:
        rows = rows.filter(last_at__gte=filters.since)
    if filters.until is not None:
        rows = rows.filter(first_at__lt=filters.until)
    return rows


def _may_have(filters: CallFilter) -> Q:
    may = _TYPES.get(filters.type, Q()) & _VERDICTS[filters.verdict]
    if filters.reason:
        may &= Q(denied__gt=0)
    if filters.disagreement:
        may &= Q(disagreements__gt=0)
    return may


def _place(session: Session) -> tuple[datetime, int]:
    assert session.last_at is not None  # noqa: S101 - the list holds sessions that have calls
    return session.last_at, session.pk

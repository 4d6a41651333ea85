"""Sessions as the API's list asks for them: by what they are, and by the calls that they have."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from outcomes.models import Call, Session
from outcomes.record.codec import digest_of
from outcomes.record.selecting import CallFilter, such_calls
from outcomes.record.sessions import sessions

# Of one question. Whoever looks for what hardly any session has would wait for all of them; so
# a page may be shorter than it was asked to be, and goes on where it ended.
LOOKED_THROUGH: Final = 2_000

# What a session counts says of most that no such call can be among its own.
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
class FoundSessions:
    rows: list[Session]
    end: tuple[datetime, int] | None  # where the next page begins; none: this was the last


def sessions_with(
    project_id: int,
    wanted: CallFilter,
    *,
    limit: int,
    before: tuple[datetime, int] | None = None,
) -> FoundSessions:
    """Sessions, the one seen last first, with at least one call that fits all of the filter."""
    found = _narrowed(project_id, wanted)
    if before is not None:
        at, number = before
        found = found.filter(Q(last_at__lt=at) | Q(last_at=at, id__lt=number), last_at__lte=at)
    such = such_calls(wanted)
    if not such:
        rows = list(found[: limit + 1])
        return FoundSessions(rows[:limit], _place(rows[limit - 1]) if len(rows) > limit else None)
    places = found.filter(_may_have(wanted)).values_list("last_at", "id")[:LOOKED_THROUGH]
    looked = [(at, number) for at, number in places if at is not None]
    calls = Call.objects.filter(such, project=project_id, session=OuterRef("pk"))
    rows = list(found.filter(Exists(calls), pk__in=[number for _, number in looked])[: limit + 1])
    if len(rows) > limit:
        return FoundSessions(rows[:limit], _place(rows[limit - 1]))
    return FoundSessions(rows, looked[-1] if len(looked) == LOOKED_THROUGH else None)


def _narrowed(project_id: int, wanted: CallFilter) -> QuerySet[Session]:
    found = sessions(
        project_id, environment=wanted.environment, agent=wanted.agent, text=wanted.text
    )
    if wanted.session:
        found = found.filter(digest=digest_of(wanted.session))
    if wanted.since is not None:
        found = found.filter(last_at__gte=wanted.since)
    if wanted.until is not None:
        found = found.filter(first_at__lt=wanted.until)
    return found


def _may_have(wanted: CallFilter) -> Q:
    may = _TYPES.get(wanted.type, Q()) & _VERDICTS[wanted.verdict]
    if wanted.reason:
        may &= Q(denied__gt=0)
    if wanted.disagreement:
        may &= Q(disagreements__gt=0)
    return may


def _place(session: Session) -> tuple[datetime, int]:
    assert session.last_at is not None  # noqa: S101 - the list holds sessions that have calls
    return session.last_at, session.pk

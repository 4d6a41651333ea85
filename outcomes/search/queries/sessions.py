"""Sessions with calls that match a search, in chunks of a fixed number of calls."""

from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Q

from outcomes.models import Session
from outcomes.search.domain.language import Query
from outcomes.search.queries.hits import search
from outcomes.search.queries.sources import Place, microseconds, moment
from outcomes.stored.queries import CallFilter

NEWEST_HITS: Final = 1_000  # calls per chunk
MOST_SEARCHES: Final = 20  # limit for finding sessions listed in earlier chunks


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingSessions:
    numbers: frozenset[int] = frozenset()
    text: str = ""  # may also match names of sessions and agents; empty: no
    begin: Place | None = None  # none: start with the newest matching call
    end: Place | None = None  # start of the next chunk; none: no older call matches


def matching_sessions(
    project_id: int, query: Query, filters: CallFilter, *, before: Place | None = None
) -> MatchingSessions:
    """Sessions of the chunk that starts at this position. No session is in two chunks."""
    filters = replace(filters, text="")
    hits = search(project_id, query, filters, size=NEWEST_HITS, before=before)
    numbers = {row.session_id for row in hits.rows if row.session_id is not None}
    if before is not None and numbers:
        numbers -= _listed_before(project_id, query, filters, numbers, before)
    return MatchingSessions(
        numbers=frozenset(numbers), text=_plain(query), begin=before, end=hits.end
    )


def _listed_before(
    project_id: int, query: Query, filters: CallFilter, numbers: set[int], place: Place
) -> set[int]:
    """Sessions with a newer matching call, which an earlier chunk lists."""
    at = moment(place[0])
    active = Session.objects.filter(project=project_id, pk__in=numbers, last_at__gte=at)
    left = set(active.values_list("pk", flat=True))
    newer = replace(filters, since=at if filters.since is None else max(at, filters.since))
    listed, start = set[int](), None
    for _ in range(MOST_SEARCHES):
        if not left:
            break
        such = Q(session__in=left)
        hits = search(project_id, query, newer, size=NEWEST_HITS, before=start, such=such)
        rows = [row for row in hits.rows if (microseconds(row.at), row.pk) >= place]
        listed |= {row.session_id for row in rows if row.session_id is not None}
        left, start = left - listed, hits.end
        if start is None:
            break
    return listed


def _plain(query: Query) -> str:
    if any(term.field or term.negated for term in query.terms):
        return ""
    return " ".join(term.value for term in query.terms)

"""Sessions with calls that match a search."""

from dataclasses import dataclass, replace
from typing import Final

from outcomes.search.domain.language import Query
from outcomes.search.queries.hits import search
from outcomes.stored.queries import CallFilter

NEWEST_HITS: Final = 1_000  # calls whose sessions are listed


@dataclass(frozen=True, slots=True)
class MatchingSessions:
    numbers: frozenset[int]
    text: str  # that names of sessions and agents may contain as well; empty: they need not
    is_cut: bool  # older calls match too


def matching_sessions(project_id: int, query: Query, filters: CallFilter) -> MatchingSessions:
    hits = search(project_id, query, replace(filters, text=""), size=NEWEST_HITS)
    numbers = frozenset(row.session_id for row in hits.rows if row.session_id is not None)
    return MatchingSessions(numbers, _plain(query), is_cut=hits.end is not None)


def _plain(query: Query) -> str:
    if any(term.field or term.negated for term in query.terms):
        return ""
    return " ".join(term.value for term in query.terms)

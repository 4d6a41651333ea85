"""Candidates for a search: positions of calls, newest first, one chunk at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from typing import Final, Protocol

from django.db.models import Case, Expression, Q, QuerySet, Value, When

from outcomes.database.reading import reading
from outcomes.models import Call

Place = tuple[int, int]  # microseconds since 1970, and the id of the call

WALKED: Final = 5_000  # calls scanned per chunk of a walk
COUNTED: Final = 1_000  # postings counted to compare how frequent tokens are
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)
_LAST: Final = 2**62
_POSTINGS: Final = (
    'SELECT * FROM (SELECT "at", "call" FROM outcomes_posting WHERE token = %s'
    ' AND "at" >= %s AND "at" < %s AND ("at", "call") < (%s, %s)'
    ' ORDER BY "at" DESC, "call" DESC LIMIT %s) AS part{}'
)
_EXISTS: Final = (
    "SELECT {} AS number WHERE EXISTS (SELECT 1 FROM outcomes_posting WHERE token = %s)"
)


Part = tuple[list[Place], Place | None]  # positions, and where the next chunk starts


class Source(Protocol):
    def part(self, before: Place, size: int) -> Part: ...


@dataclass(frozen=True, slots=True)
class Period:
    since: int = -_LAST
    until: int = _LAST

    @classmethod
    def of(cls, since: datetime | None, until: datetime | None) -> "Period":
        return cls(
            -_LAST if since is None else microseconds(since),
            _LAST if until is None else microseconds(until),
        )


@dataclass(frozen=True, slots=True)
class Postings:
    """Calls with one of these tokens."""

    tokens: Sequence[int]
    period: Period

    def part(self, before: Place, size: int) -> Part:
        if not self.tokens:
            return [], None
        parts = (_POSTINGS.format(number) for number in range(len(self.tokens)))
        statement = f"{' UNION '.join(parts)} ORDER BY 1 DESC, 2 DESC LIMIT {size}"
        period = (self.period.since, self.period.until)
        values = [value for each in self.tokens for value in (each, *period, *before, size)]
        with reading().cursor() as cursor:
            cursor.execute(statement, values)
            return _part([(at, number) for at, number in cursor.fetchall()], size)


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of a query, by an index that includes their time."""

    rows: QuerySet[Call]

    def part(self, before: Place, size: int) -> Part:
        places = _before(self.rows, before).order_by("-at", "-id").values_list("at", "id")[:size]
        return _part([(microseconds(at), number) for at, number in places], size)


@dataclass(frozen=True, slots=True)
class Walk:
    """Calls that match a condition without an index, found by scanning calls in order of time."""

    rows: QuerySet[Call]
    condition: Q

    def part(self, before: Place, size: int) -> Part:
        rows = _before(self.rows, before).order_by("-at", "-id")
        scanned = list(rows.values_list("at", "id", is_such(self.condition))[:WALKED])
        places = [(microseconds(at), number) for at, number, is_hit in scanned if is_hit]
        if len(scanned) < WALKED:
            return places, None
        return places, (microseconds(scanned[-1][0]), scanned[-1][1])


@dataclass(frozen=True, slots=True)
class Merged:
    sources: Sequence[Source]

    def part(self, before: Place, size: int) -> Part:
        parts = (source.part(before, size)[0] for source in self.sources)
        return _part(list(dict.fromkeys(merge(*parts, reverse=True)))[:size], size)


def is_such(condition: Q) -> Expression:
    """Condition as a column, not a filter: for a filter, SQLite would choose an index and scan all
    calls of a tool or a project."""
    return Case(When(condition, then=Value(1)), default=Value(0)) if condition else Value(1)


def _before(rows: QuerySet[Call], place: Place) -> QuerySet[Call]:
    if place[0] >= _LAST:
        return rows
    at, number = moment(place[0]), place[1]
    return rows.filter(Q(at__lt=at) | Q(at=at, id__lt=number), at__lte=at)


def _part(places: list[Place], size: int) -> Part:
    return places, places[-1] if len(places) == size else None


def beginning() -> Place:
    """Position after all calls, where a search starts."""
    return _LAST, _LAST


def microseconds(at: datetime) -> int:
    return (at - _EPOCH) // _TICK


def moment(microseconds_: int) -> datetime:
    return _EPOCH + microseconds_ * _TICK


def present(tokens: Iterable[int]) -> list[int]:
    """Tokens that exist in the index."""
    candidates = sorted(tokens)
    if len(candidates) < 2:
        return candidates
    statement = " UNION ALL ".join(_EXISTS.format(place) for place in range(len(candidates)))
    with reading().cursor() as cursor:
        cursor.execute(statement, candidates)
        return [candidates[place] for (place,) in cursor.fetchall()]


def size_of(source: Postings) -> tuple[int, int]:
    """Sort key of a source: number of candidates, then how far back the first COUNTED reach."""
    places, _ = source.part(beginning(), COUNTED)
    return len(places), places[-1][0] if places else 0

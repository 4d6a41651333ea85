"""Calls that match a search, newest first.

The index yields candidates; the calls themselves, masked, decide. A search scans and reads a
limited number of calls, so a page may be shorter than requested. The next one continues where it
ended.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q, QuerySet

from governance.core.masking import MASK
from outcomes.database import starting_with
from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Agent, Call, IndexedCall, Session, Tool
from outcomes.record.call import Call as Folded
from outcomes.record.codec import as_text, digest_of
from outcomes.search.domain.content import Content, content_of, matches
from outcomes.search.domain.language import ANYTHING, Op, Query, Term
from outcomes.search.domain.tokens import Alternatives, needed, unpacked
from outcomes.search.queries.sources import (
    COUNTED,
    Calls,
    Merged,
    Period,
    Place,
    Postings,
    Source,
    Walk,
    beginning,
    is_such,
    microseconds,
    present,
    size_of,
)
from outcomes.stored.queries import CallFilter, calls, conditions, with_names

MOST_PARTS: Final = 50  # chunks of candidates per search
MOST_WALKS: Final = 10  # chunks of a walk, which has no index
MOST_SOURCES: Final = 10  # tools or sessions that get a source of their own
MOST_MISSED: Final = 500  # calls that a search may read without a match
AT_ONCE: Final = 400
READ_AT_ONCE: Final = 100
NEWEST: Final = 10_000  # newest calls in which parts of words and ids can match
MOST_NAMES: Final = 50  # tools, agents or sessions that a term may match
LONGEST_NAME: Final = 200  # characters of a principal
_INDEXED_BEGINNING: Final = 100  # characters of a session id in the prefix index
_TYPES: Final = {
    "open": "",
    "executed": "execution_result",
    "artifact": "artifact_reference",
}
_MODELS: Final[dict[str, tuple[type[Tool] | type[Agent], str]]] = {
    "tool": (Tool, "tool"),
    "agent": (Agent, "agent"),
}
_WHO: Final = ("user_id", "service_id", "org_id", "name", "id")


@dataclass(slots=True)
class Hits:
    rows: list[Call] = field(default_factory=list)
    contents: dict[int, Content] = field(default_factory=dict)  # of calls read
    end: Place | None = None  # position where older hits may follow
    is_cut: bool = False  # filling the page would require reading more calls


def search(
    project_id: int,
    query: Query,
    filters: CallFilter,
    *,
    size: int,
    before: Place | None = None,
    such: Q = Q(),  # noqa: B008 - never changed
) -> Hits:
    """Page of hits. `filters` and `such` restrict the calls further."""
    return _Search(project_id, query, filters, such).hits(size, before)


def those_matching(project_id: int, query: Query, calls: Sequence[int]) -> set[int]:
    """Which of these calls match, checked against stored data without the index."""
    return _Search(project_id, query, CallFilter(), Q(pk__in=calls)).among(calls)


def rows_in_scope(project_id: int, query: Query, filters: CallFilter) -> QuerySet[Call]:
    """Calls that match the parts of a query that columns can answer."""
    return calls(project_id, filters).filter(_conditions(project_id, query)).order_by()


def principal_name(principal: Mapping[str, object] | None) -> str:
    """User, service or organisation of a principal, or empty if it has none of them."""
    for name in _WHO:
        value = (principal or {}).get(name)
        if isinstance(value, str | int) and value not in ("", MASK):
            return as_text(str(value).encode("utf-8", "replace").decode())[:LONGEST_NAME]
    return ""


def searchable(call: Folded) -> Content:
    """Searchable content of a masked call, as indexed and matched."""
    return content_of(call, principal_name(call.principal))


class _Search:
    def __init__(self, project_id: int, query: Query, filters: CallFilter, such: Q) -> None:
        self._project = project_id
        self._query = query
        self._filters = filters
        self._period = Period.of(filters.since, filters.until)
        self._condition = such & conditions(filters) & _conditions(project_id, query)
        self._tokens: dict[int, frozenset[int]] = {}
        self._has_token = False  # every candidate has one of the chosen tokens
        self._terms = [term for term in query.terms if _is_read(term)]
        self._needed = [(term, needed(project_id, term)) for term in self._terms]

    def hits(self, size: int, before: Place | None) -> Hits:
        hits, parts, missed = Hits(), 0, 0
        source = self._source()
        place = before or beginning()
        while True:
            places, next_place = source.part(place, AT_ONCE)
            for part in _parts(self._with_tokens(places)):
                before_part = len(hits.rows)
                candidates = self._candidates(part)
                for row in self._checked(candidates, hits):
                    if len(hits.rows) == size:
                        last = hits.rows[-1]
                        hits.end = (microseconds(last.at), last.pk)
                        return hits
                    hits.rows.append(row)
                missed += len(candidates) - (len(hits.rows) - before_part)
                if missed >= MOST_MISSED:
                    return _cut(hits, part[-1])
            if next_place is None:
                return hits
            place, parts = next_place, parts + 1
            if parts == (MOST_WALKS if isinstance(source, Walk) else MOST_PARTS):
                return _cut(hits, place)

    def among(self, calls: Sequence[int]) -> set[int]:
        numbers = set[int]()
        for start in range(0, len(calls), READ_AT_ONCE):
            part = calls[start : start + READ_AT_ONCE]
            rows = Call.objects.filter(self._condition, project=self._project, pk__in=part)
            numbers |= {row.pk for row in self._checked(list(with_names(rows)), Hits())}
        return numbers

    def _source(self) -> Source:
        """Source with the fewest candidates, or a walk over all calls if no index helps."""
        best: tuple[tuple[int, int], Term, Postings] | None = None
        for term, sets in self._needed:
            for alternatives in sets:
                postings = Postings(present(alternatives), self._period)
                candidate = (size_of(postings), term, postings)
                if best is None or candidate[0] < best[0]:
                    best = candidate
        if best is not None and (best[0][0] < COUNTED or not self._query.of("session")):
            _, term, postings = best
            self._has_token = True
            return postings if term.field else Merged([postings, *self._by_names(term)])
        return self._by_column() or Walk(self._in_project(), self._condition)

    def _by_column(self) -> Source | None:
        """Calls of certain sessions or tools, which have an index by time."""
        if name := self._name("session"):
            # Joined with environments, which are the first column of the index of ids.
            there = Session.objects.filter(environment__project=self._project)
            sessions = there.filter(digest=digest_of(name)).values_list("pk", flat=True)
            return Merged([self._of(session=number) for number in sessions[:MOST_NAMES]])
        if name := self._name("tool"):
            named = Tool.objects.filter(project=self._project, name__iexact=as_text(name))
            tools = named.values_list("pk", flat=True)
            return Merged([self._of(tool=number) for number in tools[:MOST_NAMES]])
        return None

    def _name(self, column: str) -> str:
        """Name that all hits share, from the query or the filter."""
        names = [term.value for term in self._query.of(column) if _is_name(term)]
        given: str = getattr(self._filters, column)
        return given or next(iter(names), "")

    def _of(self, **column: int) -> Source:
        return Calls(self._in_period(Call.objects.filter(**column)))

    def _in_project(self) -> QuerySet[Call]:
        return self._in_period(Call.objects.filter(project=self._project))

    def _in_period(self, rows: QuerySet[Call]) -> QuerySet[Call]:
        period = CallFilter(since=self._filters.since, until=self._filters.until)
        return rows.filter(conditions(period))

    def _by_names(self, term: Term) -> Iterator[Source]:
        """Calls with a word in a name or an id, which postings lack."""
        text = as_text(term.value)
        for number in _named(Tool, self._project, text)[:MOST_SOURCES]:
            yield self._of(tool=number)
        sessions = Session.objects.filter(project=self._project).order_by()
        begin = starting_with(sessions, "session_id", text, _INDEXED_BEGINNING)
        for number in begin.values_list("pk", flat=True)[:MOST_SOURCES]:
            yield self._of(session=number)
        # Joined with environments, which are the first column of the index of ids.
        yield Calls(Call.objects.filter(environment__project=self._project, digest=digest_of(text)))
        newest = self._in_project().order_by("-at", "-order").values("pk")[:NEWEST]
        yield Calls(
            Call.objects.filter(
                Q(call_id__icontains=text)
                | Q(session__session_id__icontains=text)
                | Q(detail__icontains=text),
                pk__in=newest,
            )
        )

    def _with_tokens(self, places: list[Place]) -> list[Place]:
        """Positions of calls whose tokens satisfy all field terms."""
        if sum(len(sets) for _, sets in self._needed) < 1 + self._has_token:
            return places
        ids = [number for _, number in places]
        stored = IndexedCall.objects.filter(pk__in=ids).values_list("pk", "tokens")
        self._tokens = {number: unpacked(bytes(packed)) for number, packed in stored}
        fields = [each for term, sets in self._needed if term.field for each in sets]
        return [place for place in places if _has_all(self._tokens_of(place[1]), fields)]

    def _candidates(self, places: Sequence[Place]) -> list[Call]:
        ids = [number for _, number in places]
        such = Q(project=self._project) & self._condition
        fits = dict(Call.objects.filter(pk__in=ids).values_list("pk", is_such(such)))
        chosen = [number for number in ids if fits.get(number)]
        rows = {row.pk: row for row in with_names(Call.objects.filter(pk__in=chosen))}
        present = [rows[number] for number in ids if number in rows]
        words = [(term, sets) for term, sets in self._needed if sets and not term.field]
        if not self._tokens:
            return present
        return [row for row in present if self._may_match(row, words)]

    def _may_match(self, row: Call, words: Sequence[tuple[Term, list[Alternatives]]]) -> bool:
        """Whether the words are in the tokens, or in a name, id or detail, which have no tokens."""
        tokens = self._tokens_of(row.pk)
        return all(_has_all(tokens, sets) or _is_in_names(term.value, row) for term, sets in words)

    def _tokens_of(self, number: int) -> frozenset[int]:
        return self._tokens.get(number, frozenset())

    def _checked(self, rows: Sequence[Call], hits: Hits) -> Iterator[Call]:
        if not self._terms:
            yield from rows
            return
        contents = {row.pk: searchable(folded) for row, folded in shown_folds(rows)}
        for row in rows:
            content = contents.get(row.pk)
            if content is not None and self._fits(content):
                hits.contents[row.pk] = content
                yield row

    def _fits(self, content: Content) -> bool:
        return all(matches(term, content) != term.negated for term in self._terms)


def _is_read(term: Term) -> bool:
    return term.field not in ("tool", "agent", "session", "env", "verdict", "type", "took")


def _has_all(tokens: frozenset[int], sets: Sequence[Alternatives]) -> bool:
    return all(not tokens.isdisjoint(alternatives) for alternatives in sets)


def _is_in_names(text: str, row: Call) -> bool:
    session = row.session.session_id if row.session else ""
    folded = text.casefold()
    return any(
        folded in each.casefold() for each in (row.tool.name, row.call_id, session, row.detail)
    )


def _parts(places: list[Place]) -> Iterator[list[Place]]:
    for start in range(0, len(places), READ_AT_ONCE):
        yield places[start : start + READ_AT_ONCE]


def _cut(hits: Hits, place: Place) -> Hits:
    hits.end, hits.is_cut = place, True
    return hits


def _is_name(term: Term) -> bool:
    return not term.negated and term.op is Op.IS and term.value != ANYTHING


def _conditions(project_id: int, query: Query) -> Q:
    """Condition for all terms that columns can answer."""
    every = Q()
    for term in query.terms:
        such = _such(project_id, term)
        every &= ~such if term.negated and such else such
    return every


def _such(project_id: int, term: Term) -> Q:
    text = as_text(term.value)
    match term.field:
        case "verdict":
            return Q(verdict=term.value.lower())
        case "type":
            name = term.value.lower()
            return Q(kind=_TYPES.get(name, name))
        case "took":
            return _took(term)
        case "tool" | "agent":
            model, column = _MODELS[term.field]
            return Q((f"{column}__in", _names(model, project_id, term)))
        case "env":
            operator = "icontains" if term.op is Op.CONTAINS else "iexact"
            return Q((f"environment__name__{operator}", text))
        case "session":
            return _session(project_id, term, text)
        case _:
            return Q()


def _took(term: Term) -> Q:
    operators = {Op.MORE: "gt", Op.LEAST: "gte", Op.LESS: "lt", Op.MOST: "lte"}
    return Q((f"elapsed_ms__{operators.get(term.op, 'exact')}", term.number))


def _session(project_id: int, term: Term, text: str) -> Q:
    if term.value == ANYTHING:
        return Q(session__isnull=False)
    if term.op is Op.IS:
        there = Session.objects.filter(environment__project=project_id, digest=digest_of(text))
        return Q(session__in=list(there.values_list("pk", flat=True)))
    return Q(session__session_id__icontains=text)


def _names(model: type[Tool] | type[Agent], project_id: int, term: Term) -> list[int]:
    if term.op is Op.CONTAINS:
        return _named(model, project_id, as_text(term.value))
    rows = model._default_manager.filter(project=project_id, name__iexact=as_text(term.value))
    return list(rows.values_list("pk", flat=True)[:MOST_NAMES])


def _named(model: type[Tool] | type[Agent], project_id: int, text: str) -> list[int]:
    rows = model._default_manager.filter(project=project_id, name__icontains=text)
    return list(rows.order_by("name").values_list("pk", flat=True)[:MOST_NAMES])

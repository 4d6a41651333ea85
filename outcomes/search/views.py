"""Search field of a list: its chips, its error, and what the index does not cover yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from governance.people.auth import MemberRequest
from outcomes.search.domain.language import Query, QueryError, Term, parse
from outcomes.search.queries.progress import progress_of
from outcomes.search.words import progress_words
from outcomes.web.paging import with_query


class Chip(NamedTuple):
    name: str  # including the colon
    value: str
    source: str
    url: str  # of the page without this chip


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchField:
    query: Query
    text: str  # the query, or the invalid text
    words: str  # value of the input
    error: str
    chips: list[Chip]
    other_parameters: dict[str, str]  # of the URL
    clear_url: str
    behind: str  # what is not indexed yet

    @property
    def is_used(self) -> bool:
        return bool(self.text)


def search_field(request: MemberRequest, other_parameters: Mapping[str, str]) -> SearchField:
    """Search field. `other_parameters` stay in the URL when the search changes."""
    text = query_text(request)
    query, error = Query(), ""
    try:
        query = parse(text)
    except QueryError as mistake:
        error = f"{mistake}."
    others = {name: value for name, value in other_parameters.items() if value and name != "q"}
    return SearchField(
        query=query,
        text=query.text or text,
        words=text if error else query.words,
        error=error,
        chips=[_chip(request.path, query, term, others) for term in query.chips],
        other_parameters=others,
        clear_url=with_query(request.path, **others),
        behind=progress_words(progress_of(request.project.pk)) if text else "",
    )


def query_text(request: MemberRequest) -> str:
    """Text of the query. Chips are hidden form fields with the same name as the input."""
    return " ".join(filter(None, (each.strip() for each in request.GET.getlist("q"))))


def _chip(path: str, query: Query, term: Term, other_parameters: Mapping[str, str]) -> Chip:
    name, _, value = term.source.partition(":")
    url = with_query(path, **other_parameters, q=query.without(term).text)
    return Chip(f"{name}:", value, term.source, url)

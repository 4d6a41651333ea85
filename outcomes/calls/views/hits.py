"""Calls that match a search, as listed on the page of calls."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q

from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Call
from outcomes.search.domain.cells import arguments_cell, id_cells, name_cell, output_cell
from outcomes.search.domain.content import Content
from outcomes.search.domain.language import Query
from outcomes.search.domain.words import Marked
from outcomes.search.queries.hits import Hits, search, searchable
from outcomes.search.queries.sources import Place, microseconds
from outcomes.search.views import SearchField
from outcomes.search.words import BAD_QUERY, hits_sentence, shown_words
from outcomes.stored.queries import CALLS_SHOWN, CallFilter
from outcomes.web.paging import Links, Start, with_query

COUNTED: Final = 300  # hits counted for the first page; beyond that, "more than"
IN_FILE: Final = 500  # hits per query
PLACE: Final = ("at", "id")


def _has_match(cell: Marked) -> bool:
    return any(is_match for _, is_match in cell)


@dataclass(frozen=True, slots=True)
class HitLine:
    row: Call
    content: Content
    query: Query

    @property
    def tool(self) -> Marked:
        return name_cell(self.row.tool.name, self.query, "tool")

    @property
    def arguments(self) -> Marked:
        return arguments_cell(self.content, self.query)

    @property
    def output(self) -> Marked:
        return output_cell(self.content, self.query)

    @property
    def wraps(self) -> dict[str, bool]:
        """Cells to wrap because they contain a match, which must not be truncated."""
        return {"arguments": _has_match(self.arguments), "output": _has_match(self.output)}

    @property
    def principal(self) -> Marked:
        return name_cell(self.content.principal, self.query, "principal")

    @property
    def ids(self) -> list[tuple[str, Marked]]:
        return id_cells(self.content, self.query)


def hits_context(
    project_id: int,
    field: SearchField,
    filters: CallFilter,
    such: Q,
    *,
    start: Start,
    address: str,
) -> dict[str, Any]:
    """Context of one page of hits, empty if the query has an error."""
    before = _place(start)
    hits = Hits()
    if not field.error:
        size = COUNTED if before is None else CALLS_SHOWN
        hits = search(project_id, field.query, filters, size=size, before=before, such=such)
    rows = hits.rows[:CALLS_SHOWN]
    is_first = before is None
    return {
        "hit_lines": _lines(rows, hits, field.query),
        "sentence": BAD_QUERY if field.error else hits_sentence(hits, is_first=is_first),
        "shown": shown_words(hits, len(rows), is_first=is_first),
        "links": Links("" if is_first else address, _older(rows, hits, address)),
    }


def every_hit(project_id: int, query: Query, filters: CallFilter, such: Q) -> Iterator[Call]:
    """All hits for a file, newest first."""
    place: Place | None = None
    while True:
        hits = search(project_id, query, filters, size=IN_FILE, before=place, such=such)
        yield from hits.rows
        place = hits.end
        if place is None:
            return


def _lines(rows: list[Call], hits: Hits, query: Query) -> list[HitLine]:
    contents = hits.contents
    unread = [row for row in rows if row.pk not in contents]
    contents |= {row.pk: searchable(folded) for row, folded in shown_folds(unread)}
    return [HitLine(row, contents[row.pk], query) for row in rows if row.pk in contents]


def _older(rows: list[Call], hits: Hits, address: str) -> str:
    place = hits.end
    if len(rows) < len(hits.rows):
        place = (microseconds(rows[-1].at), rows[-1].pk)
    return with_query(address, before=f"{place[0]}.{place[1]}") if place else ""


def _place(start: Start) -> Place | None:
    match start.before:
        case (datetime() as at, int() as number):
            return microseconds(at), number
        case _:
            return None

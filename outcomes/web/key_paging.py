"""Pages of a list, the largest first as a rule, by the place of a row and never by its number.

So nothing is shown twice or skipped, however many rows come in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from django.db.models import Model, Q, QuerySet

Place = tuple[datetime | timedelta | int | str, ...]
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    rows: list[Row]
    newer: bool
    older: bool


def page_of(
    queryset: QuerySet[Row],
    columns: Sequence[str],
    *,
    size: int,
    before: Place | None = None,
    after: Place | None = None,
    ascending: bool = False,
    full: QuerySet[Row] | None = None,
) -> Page[Row]:
    """The rows next to a place, or the newest, sorted by `columns`. With `full`, rows are found by
    an index that covers them, then read through that query."""
    back, on = ("lt", "gt") if ascending else ("gt", "lt")
    there, here = columns, [f"-{name}" for name in columns]
    if ascending:
        there, here = here, list(columns)
    if after is not None:
        rows = _rows(_beyond(queryset, columns, after, back), there, size + 1, full)
        if len(rows) > size:
            return Page(rows[:size][::-1], newer=True, older=True)
        before = None  # less than a page is newer: that is the newest page
    if before is not None:
        queryset = _beyond(queryset, columns, before, on)
    rows = _rows(queryset, here, size + 1, full)
    return Page(rows[:size], newer=before is not None, older=len(rows) > size)


def _rows(
    rows: QuerySet[Row], order: Sequence[str], most: int, full: QuerySet[Row] | None
) -> list[Row]:
    sorted_rows = rows.order_by(*order)
    if full is None:
        return list(sorted_rows[:most])
    return list(full.filter(pk__in=sorted_rows.values("pk")[:most]).order_by(*order))


def place_of(row: Model, columns: Sequence[str]) -> Place:
    return tuple(getattr(row, name) for name in columns)


def _beyond(
    rows: QuerySet[Row], columns: Sequence[str], place: Place, operator: str
) -> QuerySet[Row]:
    after_place, equal = Q(), Q()
    for name, value in zip(columns, place, strict=True):
        after_place |= equal & Q((f"{name}__{operator}", value))
        equal &= Q((name, value))
    # The first column alone, too: that is what an index can begin at.
    return rows.filter(after_place, Q((f"{columns[0]}__{operator}e", place[0])))

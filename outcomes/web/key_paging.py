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
    found: QuerySet[Row],
    columns: Sequence[str],
    *,
    size: int,
    before: Place | None = None,
    after: Place | None = None,
    ascending: bool = False,
    whole: QuerySet[Row] | None = None,
) -> Page[Row]:
    """The rows next to a place, or the newest; the columns stand in the order of the list. With
    `whole` they are found by what an index holds, and then read so."""
    back, on = ("lt", "gt") if ascending else ("gt", "lt")
    there, here = columns, [f"-{name}" for name in columns]
    if ascending:
        there, here = here, list(columns)
    if after is not None:
        rows = _rows(_beyond(found, columns, after, back), there, size + 1, whole)
        if len(rows) > size:
            return Page(rows[:size][::-1], newer=True, older=True)
        before = None  # less than a page is newer: that is the newest page
    if before is not None:
        found = _beyond(found, columns, before, on)
    rows = _rows(found, here, size + 1, whole)
    return Page(rows[:size], newer=before is not None, older=len(rows) > size)


def _rows(
    found: QuerySet[Row], order: Sequence[str], most: int, whole: QuerySet[Row] | None
) -> list[Row]:
    sorted_rows = found.order_by(*order)
    if whole is None:
        return list(sorted_rows[:most])
    return list(whole.filter(pk__in=sorted_rows.values("pk")[:most]).order_by(*order))


def place_of(row: Model, columns: Sequence[str]) -> Place:
    return tuple(getattr(row, name) for name in columns)


def _beyond(
    found: QuerySet[Row], columns: Sequence[str], place: Place, operator: str
) -> QuerySet[Row]:
    wanted, equal = Q(), Q()
    for name, value in zip(columns, place, strict=True):
        wanted |= equal & Q((f"{name}__{operator}", value))
        equal &= Q((name, value))
    # The first column alone, too: that is what an index can begin at.
    return found.filter(wanted, Q((f"{columns[0]}__{operator}e", place[0])))

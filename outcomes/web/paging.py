"""Keyset pagination: pages of a list, their URLs, and parts that refresh themselves.

A page starts at the sort values of a row (its place), not at an offset, so that new rows never make
it repeat or skip any.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from governance.people.auth import MemberRequest

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
    """Rows next to a place, or the newest ones, sorted by `columns`. With `full`, `queryset` only
    finds the ids, from a covering index, and the rows are read by `full`."""
    back, on = ("lt", "gt") if ascending else ("gt", "lt")
    there, here = columns, [f"-{name}" for name in columns]
    if ascending:
        there, here = here, list(columns)
    if after is not None:
        rows = _rows(_beyond(queryset, columns, after, back), there, size + 1, full)
        if len(rows) > size:
            return Page(rows[:size][::-1], newer=True, older=True)
        before = None  # less than a page of newer rows: show the newest page
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
    # Also filter by the first column alone, so that an index scan can start there.
    return rows.filter(after_place, Q((f"{columns[0]}__{operator}e", place[0])))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_LARGEST = 2**62


class Start(NamedTuple):
    """Place that a page starts before or after; malformed places are ignored."""

    before: Place | None
    after: Place | None

    @property
    def is_newest(self) -> bool:
        return self.before is None and self.after is None


class Links(NamedTuple):
    newer: str
    older: str


def start_of(
    query: QueryDict, columns: tuple[str, ...], kinds: tuple[type, ...] | None = None
) -> Start:
    """Start of a page from URL parameters. `kinds` are the types of the columns' values, if their
    names don't tell timestamps from numbers."""
    kinds = kinds or tuple(datetime if name.endswith("at") else int for name in columns)
    return Start(_place(query.get("before"), kinds), _place(query.get("after"), kinds))


def links_of(page: Page[Row], columns: tuple[str, ...], address: str) -> Links:
    """Links to the next and previous page; `address` includes all other parameters."""
    newer = older = ""
    if page.newer:
        first = place_of(page.rows[0], columns) if page.rows else None
        newer = with_query(address, after=_text(first)) if first else address
    if page.older:
        older = with_query(address, before=_text(place_of(page.rows[-1], columns)))
    return Links(newer, older)


def every(page: Callable[[Place | None], Page[Row]], columns: tuple[str, ...]) -> Iterator[Row]:
    """All rows of a list, newest first, read page by page to bound memory."""
    part = page(None)
    yield from part.rows
    while part.older:
        part = page(place_of(part.rows[-1], columns))
        yield from part.rows


def with_query(address: str, **chosen: str) -> str:
    """URL with the non-empty query parameters added."""
    query = urlencode({name: value for name, value in chosen.items() if value})
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{query}"


def _text(place: Place) -> str:
    return ".".join(map(_part_text, place))


def _part_text(part: datetime | timedelta | int | str) -> str:
    match part:
        case datetime():
            return str((part - _EPOCH) // _TICK)
        case timedelta():
            return str(part // _TICK)
        case str():
            return urlsafe_b64encode(part.encode("utf-8", "surrogatepass")).decode()
        case int():
            return str(part)


def _place(text: str | None, kinds: tuple[type, ...]) -> Place | None:
    parts = (text or "").split(".")
    if len(parts) != len(kinds):
        return None
    try:
        return tuple(_read(part, kind) for part, kind in zip(parts, kinds, strict=True))
    except (ValueError, OverflowError):
        return None


def _read(part: str, kind: type) -> datetime | timedelta | int | str:
    if kind is str:
        text = urlsafe_b64decode(part.encode("ascii")).decode()
        if "\0" in text:
            raise ValueError  # PostgreSQL can neither store nor query it
        return text
    if len(part) >= 20 or abs(number := int(part)) > _LARGEST:
        raise ValueError
    if kind is datetime:
        return _EPOCH + number * _TICK
    return number * _TICK if kind is timedelta else number


def shown_part(
    request: MemberRequest, part: str, page: str, context: dict[str, Any]
) -> HttpResponse:
    is_alone = request.headers.get("HX-Request") == "true"
    return render(request, part if is_alone else page, context | {"part": part, "alone": is_alone})


def hash_of(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]

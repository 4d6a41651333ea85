"""Where a page of a list begins, as its URL says it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from django.db.models import Model
from django.http import QueryDict

from outcomes.queries import Page, Place, place_of

Row = TypeVar("Row", bound=Model)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_LARGEST = 2**62


class Start(NamedTuple):
    """Before or after a place; a place that no list has given is passed over."""

    before: Place | None
    after: Place | None

    @property
    def is_newest(self) -> bool:
        return self.before is None and self.after is None


class Links(NamedTuple):
    newer: str
    older: str


def start_of(query: QueryDict, columns: tuple[str, ...]) -> Start:
    return Start(_place(query.get("before"), columns), _place(query.get("after"), columns))


def links_of(page: Page[Row], columns: tuple[str, ...], address: str) -> Links:
    """To the pages around this one; the address holds all else that was chosen."""
    newer = older = ""
    if page.newer:
        first = place_of(page.rows[0], columns) if page.rows else None
        newer = with_query(address, after=_text(first)) if first else address
    if page.older:
        older = with_query(address, before=_text(place_of(page.rows[-1], columns)))
    return Links(newer, older)


def every(page: Callable[[Place | None], Page[Row]], columns: tuple[str, ...]) -> Iterator[Row]:
    """All rows of a list, newest first, page after page: as many as there are are never held."""
    found = page(None)
    yield from found.rows
    while found.older:
        found = page(place_of(found.rows[-1], columns))
        yield from found.rows


def files_of(address: str) -> str:
    """Where the table of this address is as a file: what its format is stands at the end."""
    return f"{address}{'&' if '?' in address else '?'}"


def with_query(address: str, **chosen: str) -> str:
    """The address with what is chosen, without what is not."""
    query = urlencode({name: value for name, value in chosen.items() if value})
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{query}"


def _text(place: Place) -> str:
    return ".".join(
        str((part - _EPOCH) // _TICK if isinstance(part, datetime) else part) for part in place
    )


def _place(text: str | None, columns: tuple[str, ...]) -> Place | None:
    try:
        parts = [int(part) for part in (text or "").split(".") if len(part) < 20]
        if len(parts) != len(columns) or any(abs(part) > _LARGEST for part in parts):
            return None
        return tuple(
            _EPOCH + part * _TICK if name.endswith("at") else part
            for name, part in zip(columns, parts, strict=True)
        )
    except (ValueError, OverflowError):
        return None

"""Pages of a list in URLs: places as text and links to the next page."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from django.db.models import Model
from django.http import QueryDict

from outcomes.web.key_paging import Page, Place, place_of

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


def start_of(
    query: QueryDict, columns: tuple[str, ...], kinds: tuple[type, ...] | None = None
) -> Start:
    """The kinds of the columns' values, where their names do not tell times from numbers."""
    kinds = kinds or tuple(datetime if name.endswith("at") else int for name in columns)
    return Start(_place(query.get("before"), kinds), _place(query.get("after"), kinds))


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
    """All rows of a list, newest first, read page by page so that they are never all in memory."""
    part = page(None)
    yield from part.rows
    while part.older:
        part = page(place_of(part.rows[-1], columns))
        yield from part.rows


def with_query(address: str, **chosen: str) -> str:
    """The address with what is chosen, without what is not."""
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
            raise ValueError  # PostgreSQL keeps none, and does not look for one either
        return text
    if len(part) >= 20 or abs(number := int(part)) > _LARGEST:
        raise ValueError
    if kind is datetime:
        return _EPOCH + number * _TICK
    return number * _TICK if kind is timedelta else number

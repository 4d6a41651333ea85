"""Stretch of a session that its strip shows, and links to other stretches."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from django.http import QueryDict

from governance.core.numbers import parse_number
from outcomes.charts import By

FEWEST: Final = 20  # calls that are zoomed in to
AROUND: Final = 30  # calls on each side of a stop
CARRIED: Final = ("show", "loop", "before", "after")  # what the table of calls was asked for


class ZoomLink(NamedTuple):
    name: str
    words: str
    query: dict[str, str]
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Zoom:
    """Numbers of calls, the last one included; 0: as far as there are calls."""

    by: By = "call"
    first: int = 0
    last: int = 0
    limit: str = ""  # whose countings are drawn as lines

    def within(self, first: int, last: int) -> "Zoom":
        """Part of it that exists, at least FEWEST calls."""
        begin = min(max(self.first, first), max(last - FEWEST + 1, first))
        end = min(max(self.last or last, begin + FEWEST - 1), last)
        return replace(self, first=begin, last=end)

    def query(self) -> dict[str, str]:
        """Parameters that differ from the defaults."""
        parameters = {
            "by": "time" if self.by == "time" else "",
            "first": str(self.first or ""),
            "last": str(self.last or ""),
            "limit": self.limit,
        }
        return {name: value for name, value in parameters.items() if value}


def zoom_of(query: QueryDict) -> Zoom:
    return Zoom(
        by="time" if query.get("by") == "time" else "call",
        first=parse_number(query.get("first")) or 0,
        last=parse_number(query.get("last")) or 0,
        limit=query.get("limit", ""),
    )


def carried_query(query: QueryDict) -> dict[str, str]:
    return {name: given for name in CARRIED if (given := query.get(name, ""))}


def zoom_links(zoom: Zoom, shown: Zoom, first: int, last: int, stop: int | None) -> list[ZoomLink]:
    """Links from `shown`; `zoom` is the stretch as chosen."""
    is_all = shown.first == first and shown.last == last
    calls = shown.last - shown.first + 1
    to: Callable[..., dict[str, str]] = lambda **changed: replace(zoom, **changed).query()  # noqa: E731 - one use each
    links = [ZoomLink("all", "All", to(first=0, last=0), is_current=is_all)]
    if stop is not None and last - first + 1 > 2 * AROUND:
        begin, end = max(stop - AROUND, first), min(stop + AROUND, last)
        is_there = (shown.first, shown.last) == (begin, end)
        links.append(ZoomLink("stop", "Around the stop", to(first=begin, last=end), is_there))
    if calls > FEWEST:
        quarter = calls // 4
        links.append(
            ZoomLink("in", "Closer", to(first=shown.first + quarter, last=shown.last - quarter))
        )
    if not is_all:
        links.append(_further(to, shown, first, last))
        half = max(calls // 2, 1)
        if shown.first > first:
            step = min(half, shown.first - first)
            moved = to(first=shown.first - step, last=shown.last - step)
            links.append(ZoomLink("earlier", "Earlier", moved))
        if shown.last < last:
            step = min(half, last - shown.last)
            moved = to(first=shown.first + step, last=shown.last + step)
            links.append(ZoomLink("later", "Later", moved))
    return links


def _further(to: Callable[..., dict[str, str]], shown: Zoom, first: int, last: int) -> ZoomLink:
    half = (shown.last - shown.first + 1) // 2
    begin, end = max(shown.first - half, first), min(shown.last + half, last)
    is_all = begin == first and end == last
    return ZoomLink("out", "Further", to(first=0 if is_all else begin, last=0 if is_all else end))

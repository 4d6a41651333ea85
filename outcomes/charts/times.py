"""Time axes: ticks at whole seconds to whole years of the reader's clock."""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

_DAY: Final = 86_400
_CLOCK: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(60 * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(3_600 * hours for hours in (1, 2, 3, 6, 12)),
)
_DAYS: Final = (1, 2, 7, 14)
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200)
_MONDAY: Final = 1  # the ordinal of the first Monday: weeks begin there
_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TimeTick:
    at: datetime
    words: str


def time_ticks(first: datetime, last: datetime, zone: tzinfo, at_most: int = 8) -> list[TimeTick]:
    """The finest whole times from `first` to `last` that are no more than `at_most`."""
    for step in _CLOCK:
        if times := _few(_clock_times(first, last, zone, step), at_most):
            return _with_words(times, zone, last, seconds=step < 60)
    for days in _DAYS:
        if times := _few(_midnights(first, last, zone, days), at_most):
            return [TimeTick(at, day_words(at.astimezone(zone))) for at in times]
    for months in _MONTHS:
        if times := _few(_months(first, last, zone, months), at_most):
            form = "%Y" if months >= 12 else "%b %Y"
            return [TimeTick(at, f"{at.astimezone(zone):{form}}") for at in times]
    return []


def _few(times: Iterator[datetime], at_most: int) -> list[datetime]:
    """None when there are more, so that a coarser step is tried."""
    few: list[datetime] = []
    for at in times:
        if len(few) == at_most:
            return []
        few.append(at)
    return few


def _clock_times(first: datetime, last: datetime, zone: tzinfo, step: int) -> Iterator[datetime]:
    """Moments at which the clock of the zone shows a multiple of the step, whatever it did in
    between: around a change of its offset the next one is looked for on the other side of it."""
    at = first.timestamp()
    end = last.timestamp()
    while at <= end:
        before = _offset(at, zone)
        moment = _multiple(at, before, step)
        after = _offset(moment, zone)
        if after != before:
            moment = _multiple(at, after, step)
            while _offset(moment, zone) != after:
                moment += step
        if moment > end:
            return
        yield datetime.fromtimestamp(moment, UTC)
        at = moment + 1


def _multiple(at: float, offset: int, step: int) -> int:
    return -int(-(at + offset) // step) * step - offset


def _offset(at: float, zone: tzinfo) -> int:
    offset = datetime.fromtimestamp(at, zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def _midnights(first: datetime, last: datetime, zone: tzinfo, days: int) -> Iterator[datetime]:
    start = first.astimezone(zone).toordinal()
    start += (_MONDAY - start) % days if days % 7 == 0 else -start % days
    while (at := _start_of(datetime.fromordinal(start), zone)) <= last:
        if at >= first:
            yield at
        start += days


def _months(first: datetime, last: datetime, zone: tzinfo, months: int) -> Iterator[datetime]:
    local = first.astimezone(zone)
    start = local.year * 12 + local.month - 1
    start += -start % months
    while (at := _start_of(_first_of(start), zone)) <= last:
        if at >= first:
            yield at
        start += months


def _first_of(month: int) -> datetime:
    return datetime.fromordinal(date(month // 12, month % 12 + 1, 1).toordinal())


def _start_of(day: datetime, zone: tzinfo) -> datetime:
    """First moment of a day, also where a clock change removed midnight."""
    return day.replace(tzinfo=zone).astimezone(UTC)


def _with_words(
    times: list[datetime], zone: tzinfo, last: datetime, *, seconds: bool
) -> list[TimeTick]:
    """The day is said once, where it begins; in the last week by its name."""
    ticks = []
    day = None
    for at in times:
        local = at.astimezone(zone)
        words = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
        if local.date() != day:
            words = f"{f'{local:%a}' if last - at < _WEEK else day_words(local)} {words}"
        ticks.append(TimeTick(at, words))
        day = local.date()
    return ticks


def day_words(local: datetime) -> str:
    return f"{local.day} {local:%b}"


def share_at(at: datetime, edges: Sequence[datetime]) -> float:
    """Position of a moment along equally wide steps, from 0 to 1."""
    place = bisect.bisect_right(edges, at) - 1
    if place < 0:
        return 0.0
    if place >= len(edges) - 1:
        return 1.0
    inside = (at - edges[place]) / (edges[place + 1] - edges[place])
    return (place + inside) / (len(edges) - 1)

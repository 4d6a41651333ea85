"""Horizontal axes of charts: time steps, or call numbers."""

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import ClassVar, Final

from governance.core.figures import thousands
from outcomes.charts.series import count_ticks

_DAY: Final = 86_400
_CLOCK: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(60 * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(3_600 * hours for hours in (1, 2, 3, 6, 12)),
)
_DAYS: Final = (1, 2, 7, 14)
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200)
_MONDAY: Final = 1  # ordinal of the first Monday, where weeks start
_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TimeTick:
    at: datetime
    words: str


def time_ticks(first: datetime, last: datetime, zone: tzinfo, at_most: int = 8) -> list[TimeTick]:
    """Ticks at round times from `first` to `last`, in the finest step that gives at most
    `at_most`."""
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
    """The times, or none if there are more than `at_most`; then a coarser step is tried."""
    few: list[datetime] = []
    for at in times:
        if len(few) == at_most:
            return []
        few.append(at)
    return few


def _clock_times(first: datetime, last: datetime, zone: tzinfo, step: int) -> Iterator[datetime]:
    """Times at which the zone's clock shows a multiple of the step, also across changes of its UTC
    offset: next to a change, the next multiple is computed with the new offset."""
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
    """First moment of a day, even if a clock change skipped midnight."""
    return day.replace(tzinfo=zone).astimezone(UTC)


def _with_words(
    times: list[datetime], zone: tzinfo, last: datetime, *, seconds: bool
) -> list[TimeTick]:
    """Ticks with labels. The first tick of each day names it, by weekday within the last week."""
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
    """Position of a time along equally wide steps, from 0 to 1."""
    place = bisect.bisect_right(edges, at) - 1
    if place < 0:
        return 0.0
    if place >= len(edges) - 1:
        return 1.0
    inside = (at - edges[place]) / (edges[place + 1] - edges[place])
    return (place + inside) / (len(edges) - 1)


TICKS: Final = 8
DASH: Final = "\N{EN DASH}"
WIDE: Final = 400  # pixels of a plot in a card
NARROW: Final = 270  # pixels of a plot on a phone
_LETTER: Final = 6  # pixels of a letter in an axis label
_AIR: Final = 10  # pixels between labels
_EDGE: Final = 0.06  # closer to an edge than this, labels are aligned to it


@dataclass(frozen=True, slots=True)
class Tick:
    share: float  # position from left (0) to right (1)
    words: str
    wide: bool = False  # shown only on wide screens

    @property
    def anchor(self) -> str:
        return "start" if self.share < _EDGE else "end" if self.share > 1 - _EDGE else "middle"

    def reach(self, width: int) -> tuple[float, float]:
        """Pixels that the label covers on a plot of this width, with its spacing: start and end."""
        at, size = self.share * width, len(self.words) * _LETTER + _AIR
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * size
        return at - before, at - before + size


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """Steps of equal width. `edges` are the starts of all steps, and the end of the last."""

    heading: ClassVar = "Time"

    edges: Sequence[datetime]
    zone: tzinfo

    def __len__(self) -> int:
        return max(0, len(self.edges) - 1)

    def place(self, step: float) -> float:
        return (step + 0.5) / len(self)

    def ticks(self) -> list[Tick]:
        if not len(self):
            return []
        return time_axis_ticks(
            self.edges[0], self.edges[-1], self.zone, lambda at: share_at(at, self.edges)
        )

    def begins(self, step: int) -> str:
        """Start of a step in UTC, in the format of files."""
        return self.edges[step].astimezone(UTC).isoformat().replace("+00:00", "Z")

    def ends(self) -> str:
        """End of the last step, in UTC."""
        return self.edges[-1].astimezone(UTC).isoformat().replace("+00:00", "Z")

    def words(self, first: int, last: int) -> str:
        """Label for the steps from first to last; whole days are written without times."""
        begin, end = (self.edges[at].astimezone(self.zone) for at in (first, last + 1))
        if begin.hour == begin.minute == begin.second == 0 and begin.time() == end.time():
            final = self.edges[last].astimezone(self.zone)
            return day_words(begin) + ("" if first == last else f" {DASH} {day_words(final)}")
        clock = "%H:%M" if not (begin.second or end.second) else "%H:%M:%S"
        until = f"{DASH}{end:{clock}}"
        if begin.date() != end.date():
            until = f" {DASH} {day_words(end)} {end:{clock}}"
        return f"{begin:%a} {day_words(begin)} {begin:{clock}}{until}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberAxis:
    """Numbered points, such as the calls of a session."""

    count: int
    first: int = 1
    noun: str = "call"

    @property
    def heading(self) -> str:
        return self.noun.capitalize()

    def __len__(self) -> int:
        return self.count

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    def place(self, step: float) -> float:
        return step / (self.count - 1) if self.count > 1 else 0.5

    def ticks(self) -> list[Tick]:
        """Ticks at the first and last number, and at round numbers in between if they fit."""
        if not self.count:
            return []
        if self.count == 1:
            return [Tick(0.5, f"{self.noun} {thousands(self.first)}")]
        step = count_ticks(self.count, 6)[1]
        between = range(self.first // step * step + step, self.last, step)
        return roomy(
            [
                Tick(0.0, f"{self.noun} {thousands(self.first)}"),
                *(Tick(self.place(number - self.first), thousands(number)) for number in between),
                Tick(1.0, f"{self.noun} {thousands(self.last)}"),
            ]
        )

    def begins(self, step: int) -> str:
        return ""  # a number has no time

    def ends(self) -> str:
        return ""

    def words(self, first: int, last: int) -> str:
        numbers = thousands(self.first + first)
        if first != last:
            return f"{self.noun.capitalize()}s {numbers}{DASH}{thousands(self.first + last)}"
        return f"{self.noun.capitalize()} {numbers}"


Axis = TimeAxis | NumberAxis


def roomy(ticks: Sequence[Tick]) -> list[Tick]:
    """Ticks without those whose labels would overlap. Longer labels, such as the first and the
    last, take precedence."""
    in_turn = sorted(range(len(ticks)), key=lambda place: (-len(ticks[place].words), place))
    fitting = _fitting(ticks, in_turn, WIDE)
    narrow = _fitting(ticks, [place for place in in_turn if place in fitting], NARROW)
    return [
        replace(tick, wide=place not in narrow)
        for place, tick in enumerate(ticks)
        if place in fitting
    ]


def time_axis_ticks(
    first: datetime, last: datetime, zone: tzinfo, share: Callable[[datetime], float]
) -> list[Tick]:
    """As many evenly spaced ticks as fit on a wide screen. On a narrow one, every second or third
    remains, so that spacing stays even."""
    ticks: list[Tick] = []
    for at_most in range(TICKS, 0, -1):
        ticks = [
            Tick(share(tick.at), tick.words) for tick in time_ticks(first, last, zone, at_most)
        ]
        if _fit(ticks, WIDE):
            break
    every = next((n for n in range(1, len(ticks)) if _fit(ticks[::n], NARROW)), len(ticks))
    return [replace(tick, wide=place % every > 0) for place, tick in enumerate(ticks)]


def _fit(ticks: Sequence[Tick], width: int) -> bool:
    return len(_fitting(ticks, range(len(ticks)), width)) == len(ticks)


def _fitting(ticks: Sequence[Tick], in_turn: Sequence[int], width: int) -> set[int]:
    placed: dict[int, tuple[float, float]] = {}
    for place in in_turn:
        begin, end = ticks[place].reach(width)
        if all(end <= other[0] or begin >= other[1] for other in placed.values()):
            placed[place] = (begin, end)
    return set(placed)

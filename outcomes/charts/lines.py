"""Line chart over time or call numbers, with limits, marked points and projections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from outcomes.charts.axes import Axis
from outcomes.charts.frame import (
    element,
    figure,
    grid,
    groups_of,
    legend,
    line,
    no_data,
    percent,
    short,
    table,
    words,
)
from outcomes.charts.series import LinkTo, Scale, Series, Style, Unit, known, scale_of

MOST: Final = 240  # points along a line; a screen shows no more
_HEADROOM: Final = 14  # pixels above the highest line, for its label
_FOOT: Final = 20  # pixels for a label below a point
_LATE: Final = 0.7  # further right than this, labels go left of their point


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A dotted line at a value, such as a limit."""

    value: float
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A labeled ring that marks an event."""

    step: float
    value: float
    style: Style
    words: str
    above: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """A dashed line from the last point of a series to its projected value."""

    name: str
    from_step: float
    from_value: float
    step: float
    value: float

    @property
    def row(self) -> Series:
        return Series(name=self.name, style=Style.PROJECTED, values=())


def lines(
    axis: Axis,
    rows: Sequence[Series],
    *,
    name: str,
    says: str,
    unit: Unit = Unit.COUNT,
    height: float = 100,
    levels: Sequence[Level] = (),
    points: Sequence[Point] = (),
    ahead: Sequence[Ahead] = (),
    link: LinkTo | None = None,
    empty: str = "Nothing in this range",
) -> SafeString:
    """Line chart. Earlier rows are drawn over later ones. A missing value is a gap, not a zero."""
    groups = groups_of(len(axis), MOST)
    values = [*known(rows), *(level.value for level in levels), *(each.value for each in ahead)]
    scale = scale_of(unit, values)
    top = float(_HEADROOM if levels or points else 0)
    plot = _Plot(axis, scale, top, height - top)
    drawn, labels = grid(scale, unit, top, height - top)
    for level in levels:
        drawn += plot.level(level, rows)
    for row in reversed(rows):
        drawn += plot.line(row, groups)
    drawn += [plot.dashes(each) for each in ahead]
    drawn += [part for point in points for part in plot.point(point)]
    if not known(rows):
        drawn.append(no_data(empty, height))
        groups = []
    cells = [(row.name, [_range(row, group, unit) for group in groups]) for row in rows]
    return figure(
        name=name,
        says=says,
        height=height,
        labels=labels,
        ticks=axis.ticks(),
        plot=drawn,
        legend=legend([*rows, *(each.row for each in ahead)], drawn="line"),
        table=table(axis, groups, cells, name=name, link=link) if groups else "",
    )


def _range(row: Series, group: range, unit: Unit) -> str:
    """Table text for points that share a mark: the lowest and the highest value."""
    values = [value for at in group if (value := row.values[at]) is not None]
    if not values:
        return unit.say(None)
    low, high = unit.say(min(values)), unit.say(max(values))
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class _Plot:
    axis: Axis
    scale: Scale
    top: float
    height: float

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - self.scale.along(value))

    def x(self, step: float) -> float:
        return self.axis.place(step)

    def line(self, row: Series, groups: Sequence[range]) -> list[SafeString]:
        """Shapes of a row: one line per stretch without gaps, a dot for a single point."""
        drawn = []
        shapes = []
        for stretch in _stretches(row, groups):
            if len(stretch) == 1:
                step, value = stretch[0]
                x, y = percent(self.x(step)), self.y(value)
                drawn.append(element("circle", class_=f"dot-{row.style}", cx=x, cy=y, r=2.5))
                continue
            places = " ".join(f"{short(100 * self.x(at))},{short(self.y(v))}" for at, v in stretch)
            shapes.append(element("polyline", class_=f"line-{row.style}", points=places))
        return [stretched(shapes, self.top + self.height), *drawn] if shapes else drawn

    def level(self, level: Level, rows: Sequence[Series]) -> Iterator[SafeString]:
        y = self.y(level.value)
        yield line(0, y, "100%", y, "line-limit")
        if level.words:
            right = _distance(rows, level.value, last=True) > _distance(rows, level.value)
            x, anchor = ("100%", "end") if right else ("0", "start")
            yield words(level.words, x, y - 4, style="strong", anchor=anchor)

    def dashes(self, each: Ahead) -> SafeString:
        return line(
            percent(self.x(each.from_step)),
            self.y(each.from_value),
            percent(self.x(each.step)),
            self.y(each.value),
            "line-projected",
        )

    def point(self, point: Point) -> Iterator[SafeString]:
        x, y = self.x(point.step), self.y(point.value)
        yield element("circle", class_=f"ring-{point.style}", cx=percent(x), cy=y, r=3.5)
        anchor, dx = ("end", -6) if x > _LATE else ("start", 6)
        down = -6 if point.above or y > self.top + self.height - _FOOT else 14
        yield words(point.words, percent(x), y + down, style="strong", anchor=anchor, dx=dx)


def _distance(rows: Sequence[Series], value: float, *, last: bool = False) -> float:
    """Smallest distance of any line from this value within the first third of the chart, or the
    last one, where the label goes."""
    third = max((len(row.values) // 3 for row in rows), default=0)
    parts = [row.values[-third:] if last else row.values[:third] for row in rows if third]
    return min(
        (abs(each - value) for part in parts for each in part if each is not None), default=0
    )


def _stretches(row: Series, groups: Sequence[range]) -> list[list[tuple[float, float]]]:
    """Stretches without gaps. For points that share a mark, only the lowest and the highest remain,
    in order."""
    stretches: list[list[tuple[float, float]]] = [[]]
    for group in groups:
        values = [(at, value) for at in group if (value := row.values[at]) is not None]
        if not values:
            stretches.append([])
            continue
        least, most = (pick(values, key=lambda each: each[1]) for pick in (min, max))
        stretches[-1] += sorted({least, most})
    return [stretch for stretch in stretches if stretch]


def stretched(shapes: Sequence[str], height: float) -> SafeString:
    """SVG that stretches lines to the plot's width; their strokes keep their width."""
    return element(
        "svg",
        *shapes,
        viewBox=f"0 0 100 {short(float(height))}",
        width="100%",
        height=height,
        preserveAspectRatio="none",
    )

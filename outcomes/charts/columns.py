"""Stacked column chart: executed calls above the line, denied calls below it."""

from collections.abc import Sequence
from typing import Final

from django.utils.safestring import SafeString

from outcomes.charts.axes import Axis
from outcomes.charts.frame import (
    Label,
    box,
    element,
    figure,
    grid,
    groups_of,
    legend,
    line,
    no_data,
    table,
)
from outcomes.charts.series import LinkTo, Series, Unit, round_above, scale_of, summed

MOST: Final = 120  # columns; more would be thinner than the gaps between them
WIDTH: Final = 0.6  # share of a step
WIDEST: Final = 0.06  # share of the plot, so that a single column still looks like one
THINNEST: Final = 1.5  # minimum pixels of a non-empty slice
HANGING: Final = 38  # pixels below the line
_GAP: Final = 4  # pixels between the line and the columns below it


def columns(
    axis: Axis,
    above: Sequence[Series],
    below: Sequence[Series] = (),
    *,
    name: str,
    says: str,
    height: float = 150,
    link: LinkTo | None = None,
    empty: str = "Nothing in this range",
) -> SafeString:
    """Stacked column chart of counts, the first row next to the line. Rows `below` have their own
    scale, stated in its label."""
    groups = groups_of(len(axis), MOST)
    up = [[summed(row, group) for group in groups] for row in above]
    down = [[summed(row, group) for group in groups] for row in below]
    scale = scale_of(Unit.COUNT, sums(up))
    drawn, labels = grid(scale, Unit.COUNT, 0, height)
    total_height = height
    marks = [*upright(axis, above, up, groups, scale.ticks[-1], height)]
    if any(sums(down)):
        deepest = round_above(max(sums(down)))
        total_height += _GAP + HANGING
        labels.append(Label(y=total_height, words=Unit.COUNT.say(deepest)))
        marks += hung(axis, below, down, groups, deepest, height + _GAP, HANGING)
    if not any(sums(up)) and not any(sums(down)):
        marks = [no_data(empty, height)]
        groups = []
    marks += targets(axis, groups, total_height, link)
    titled = [(row.name, values) for row, values in zip([*above, *below], up + down, strict=True)]
    cells = [(title, [Unit.COUNT.say(value) for value in values]) for title, values in titled]
    return figure(
        name=name,
        says=says,
        height=total_height,
        labels=labels,
        ticks=axis.ticks(),
        plot=[*drawn, *marks],
        legend=legend([*above, *below], drawn="fill"),
        table=table(axis, groups, cells, name=name, link=link) if groups else "",
        linked=link is not None,
    )


def sums(rows: Sequence[Sequence[float | None]]) -> list[float]:
    """Total of each column."""
    return [sum(value or 0 for value in column) for column in zip(*rows, strict=True)]


def upright(
    axis: Axis,
    rows: Sequence[Series],
    values: Sequence[Sequence[float | None]],
    groups: Sequence[range],
    most: float,
    height: float,
) -> list[SafeString]:
    """Columns above the line, which is at the bottom of the plot."""
    return _stacks(axis, rows, values, groups, most, height, upward=True, line_at=height)


def hung(
    axis: Axis,
    rows: Sequence[Series],
    values: Sequence[Sequence[float | None]],
    groups: Sequence[range],
    most: float,
    line_at: float,
    height: float,
) -> list[SafeString]:
    return _stacks(axis, rows, values, groups, most, height, upward=False, line_at=line_at)


def _stacks(
    axis: Axis,
    rows: Sequence[Series],
    values: Sequence[Sequence[float | None]],
    groups: Sequence[range],
    most: float,
    height: float,
    *,
    upward: bool,
    line_at: float,
) -> list[SafeString]:
    drawn = []
    for place, group in enumerate(groups):
        x, width = _across(axis, group)
        at = float(line_at)
        heights = slices([row[place] for row in values], most, height)
        for row, each in zip(rows, heights, strict=True):
            if each:
                y = at - each if upward else at
                drawn.append(box(f"fill-{row.style}", x, width, y, each))
                at += -each if upward else each
    return drawn


def _across(axis: Axis, group: range) -> tuple[float, float]:
    begin, step = group[0] / len(axis), len(group) / len(axis)
    width = min(step * WIDTH, WIDEST)
    return begin + (step - width) / 2, width


def slices(values: Sequence[float | None], most: float, room: float) -> list[float]:
    """Height of each slice in pixels. Non-empty slices get a minimum height, taken from the
    tallest one, so the column's height still matches its total."""
    exact = [room * (value or 0) / most for value in values]
    seen = [max(THINNEST, height) if height else 0.0 for height in exact]
    tallest = seen.index(max(seen, default=0.0)) if seen else 0
    if seen:
        seen[tallest] = max(
            THINNEST if exact[tallest] else 0.0, seen[tallest] - sum(seen) + sum(exact)
        )
    return seen


def targets(
    axis: Axis, groups: Sequence[range], height: float, link: LinkTo | None
) -> list[SafeString]:
    """Click targets as high as the plot, one per column. They are no tab stops, as arrow keys move
    through the chart."""
    if not link:
        return []
    drawn = []
    for group in groups:
        area = box("target", group[0] / len(axis), len(group) / len(axis), 0, height)
        drawn.append(
            element("a", area, href=link(group[0], group[-1]), tabindex=-1, aria_hidden="true")
        )
    return drawn


HEIGHT: Final = 90
_TICKS: Final = 4


def hanging(
    axis: Axis,
    rows: Sequence[Series],
    *,
    name: str,
    says: str,
    height: float = HEIGHT,
    link: LinkTo | None = None,
    empty: str = "Nothing in this range",
) -> SafeString:
    """Column chart of counts that grows downward, the first row next to the line."""
    groups = groups_of(len(axis), MOST)
    values = [[summed(row, group) for group in groups] for row in rows]
    deep = sums(values)
    scale = scale_of(Unit.COUNT, deep, _TICKS)
    drawn, labels = [], []
    for place, tick in enumerate(scale.ticks):
        y = height * scale.along(tick)
        drawn.append(line(0, y, "100%", y, "grid-line" if place else "axis-line"))
        labels.append(Label(y=y, words=Unit.COUNT.say_tick(tick)))
    marks = hung(axis, rows, values, groups, scale.ticks[-1], 0, height)
    if not any(deep):
        marks, groups = [no_data(empty, height)], []
    marks += targets(axis, groups, height, link)
    cells = [
        (row.name, [Unit.COUNT.say(value) for value in row_values])
        for row, row_values in zip(rows, values, strict=True)
    ]
    return figure(
        name=name,
        says=says,
        height=height,
        labels=labels,
        ticks=axis.ticks(),
        plot=[*drawn, *marks],
        legend=legend(rows, drawn="fill"),
        table=table(axis, groups, cells, name=name, link=link) if groups else "",
        linked=link is not None,
    )

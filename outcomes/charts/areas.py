"""Stacked area chart: how the parts of a total change over time."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.safestring import SafeString

from outcomes.charts.axes import Axis
from outcomes.charts.columns import sums
from outcomes.charts.frame import element, figure, grid, groups_of, legend, no_data, short, table
from outcomes.charts.lines import stretched
from outcomes.charts.series import LinkTo, Scale, Series, Unit, scale_of, summed

MOST: Final = 240  # steps along an area

Column = tuple[float, list[float]]  # position in percent, and one value per row


def areas(
    axis: Axis,
    rows: Sequence[Series],
    *,
    name: str,
    says: str,
    height: float = 150,
    link: LinkTo | None = None,
    empty: str = "Nothing in this range",
) -> SafeString:
    """Stacked area chart of counts, the first row at the bottom. A step without data is a gap, not
    a drop to zero."""
    groups = groups_of(len(axis), MOST)
    values = [[summed(row, group) for group in groups] for row in rows]
    scale = scale_of(Unit.COUNT, sums(values))
    drawn, labels = grid(scale, Unit.COUNT, 0, height)
    if any(sums(values)):
        stretches = list(_stretches(axis, groups, values))
        shapes = [
            element(
                "polygon",
                class_=f"area area-{row.style}",
                points=_outline(stretch, level, scale, height),
            )
            for stretch in stretches
            for level, row in enumerate(rows)
        ]
        drawn = [*drawn[1:], stretched(shapes, height), drawn[0]]
    else:
        drawn.append(no_data(empty, height))
        groups = []
    cells = [
        (row.name, [Unit.COUNT.say(value) for value in own])
        for row, own in zip(rows, values, strict=True)
    ]
    return figure(
        name=name,
        says=says,
        height=height,
        labels=labels,
        ticks=axis.ticks(),
        plot=drawn,
        legend=legend(rows, drawn="fill"),
        table=table(axis, groups, cells, name=name, link=link) if groups else "",
    )


def _stretches(
    axis: Axis, groups: Sequence[range], values: Sequence[Sequence[float | None]]
) -> Iterator[list[Column]]:
    stretch: list[Column] = []
    for place, group in enumerate(groups):
        column = [row[place] for row in values]
        if all(value is None for value in column):
            if stretch:
                yield stretch
            stretch = []
            continue
        at = 100 * axis.place((group[0] + group[-1]) / 2)
        stretch.append((at, [value or 0.0 for value in column]))
    if len(stretch) == 1 and stretch[0][0] == 50:
        at, only = stretch[0]
        stretch = [(0.0, only), (100.0, only)]
    if stretch:
        yield stretch


def _outline(stretch: Sequence[Column], level: int, scale: Scale, height: float) -> str:
    """Points of one area: along its top edge, and back along the top edge of the area below."""
    top = [(at, sum(values[: level + 1])) for at, values in stretch]
    bottom = [(at, sum(values[:level])) for at, values in reversed(stretch)]
    return " ".join(
        f"{short(at)},{short(height * (1 - scale.along(value)))}" for at, value in top + bottom
    )

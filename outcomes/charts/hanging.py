"""Columns of what was denied alone: they hang from the line at the top, which is where what ran
stands in other charts."""

from collections.abc import Sequence
from typing import Final

from django.utils.safestring import SafeString

from outcomes.charts.axes import Axis, groups_of
from outcomes.charts.columns import MOST, hung, sums, targets
from outcomes.charts.frame import Label, figure, legend, no_data, table
from outcomes.charts.scales import Unit, scale_of
from outcomes.charts.series import LinkTo, Series, summed
from outcomes.charts.svg import line

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
    """Counts, from the line downward in the order that they are given."""
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

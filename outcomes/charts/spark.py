"""A line of a few values without axes, beside the figure that they led to."""

from collections.abc import Sequence
from typing import Final

from django.utils.safestring import SafeString

from outcomes.charts.frame import element, groups_of, short
from outcomes.charts.series import Style

MOST: Final = 60
FEWEST: Final = 3  # known values
HEIGHT: Final = 24
IN_ROW: Final = 18
_MARGIN: Final = 2  # pixels, so that no stroke is cut off


def spark(
    values: Sequence[float | None],
    *,
    says: str,
    bad: bool = False,
    in_row: bool = False,
    among: tuple[float, float] | None = None,
    before: Sequence[float | None] = (),
) -> SafeString:
    """`among` is the lowest and the highest value of all sparklines of one table: they share a
    scale, or noise looks like news. `before` is the period before, behind it."""
    height = IN_ROW if in_row else HEIGHT
    present = [value for value in (*values, *before) if value is not None]
    low, high = among or (min(present, default=0), max(present, default=0))
    shapes = [
        element("polyline", class_=f"spark-{style}", points=points)
        for style, row in ((Style.BEFORE, before), (Style.NOW, values))
        if (points := _points(row, low, high, height))
    ]
    return element(
        "svg",
        element("title", says),
        *shapes,
        class_=f"spark{' in-row' if in_row else ''}{' bad' if bad else ''}",
        viewBox=f"0 0 100 {height}",
        preserveAspectRatio="none",
        role="img",
        aria_label=says,
    )


def _points(values: Sequence[float | None], low: float, high: float, height: int) -> str:
    """One line over the known values. Gaps are bridged, since dashes and dots look like errors in a
    drawing as small as this; fewer than three values are no trend."""
    step = 100 / len(values) if values else 0
    points = []
    for group in groups_of(len(values), MOST):
        present = [value for at in group if (value := values[at]) is not None]
        if present:
            share = (sum(present) / len(present) - low) / (high - low) if high > low else 0.5
            y = short(height - _MARGIN - (height - 2 * _MARGIN) * min(max(share, 0.0), 1.0))
            points.append(f"{short(step * (group[0] + group[-1] + 1) / 2)},{y}")
    return " ".join(points) if len(points) >= FEWEST else ""

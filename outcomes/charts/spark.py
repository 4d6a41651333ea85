"""Sparklines: small lines without axes, shown next to a figure."""

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
    """Sparkline. `among` is the lowest and highest value of all sparklines in a table: they share
    a scale, or noise looks like change. `before` is the previous period, drawn behind."""
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
    """Points of one line through the known values. Gaps are bridged, as dashes and dots look like
    errors at this size. Fewer than three values give no line, as they show no trend."""
    step = 100 / len(values) if values else 0
    points = []
    for group in groups_of(len(values), MOST):
        present = [value for at in group if (value := values[at]) is not None]
        if present:
            share = (sum(present) / len(present) - low) / (high - low) if high > low else 0.5
            y = short(height - _MARGIN - (height - 2 * _MARGIN) * min(max(share, 0.0), 1.0))
            points.append(f"{short(step * (group[0] + group[-1] + 1) / 2)},{y}")
    return " ".join(points) if len(points) >= FEWEST else ""

"""Charts of a tool's page, drawn from its figures over time."""

from collections.abc import Callable
from typing import Final

from django.utils.safestring import SafeString

from governance.core.figures import duration
from outcomes.charts import Series, Style, Unit, lines
from outcomes.core.scope import Scope
from outcomes.figures.charts import axis_of
from outcomes.figures.comparison import Period
from outcomes.figures.domain.figures import Figures

_PERCENTILES: Final[tuple[tuple[str, Style, Callable[[Figures], float | None]], ...]] = (
    ("p50", Style.NEUTRAL, lambda figures: figures.p50_ms),
    ("p95", Style.NOW, lambda figures: figures.p95_ms),
    ("p99", Style.BEFORE, lambda figures: figures.p99_ms),
)


def took_chart(scope: Scope, now: Period, total: Figures) -> SafeString:
    rows = [
        Series(
            name=name,
            style=style,
            values=[value(step.figures) for step in now.steps],
            total=duration(value(total)),
        )
        for name, style, value in _PERCENTILES
    ]
    known = sum(step.figures.measured > 0 for step in now.steps)
    return lines(
        axis_of(scope),
        rows,
        name="Call duration",
        says=f"{known} of {len(now.steps)} steps have calls that were measured.",
        unit=Unit.DURATION,
        empty="No call was measured",
    )

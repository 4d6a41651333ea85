"""Rows of the least reliable tools, each with its success rate over time."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString

from outcomes.core.scope import Scope
from outcomes.figures.charts import row_spark
from outcomes.figures.comparison import Period
from outcomes.figures.domain.figures import Figures
from outcomes.web.addresses import tool_url


class ToolRow(NamedTuple):
    name: str
    now: Figures
    before: Figures
    trend: SafeString
    url: str
    suspected: int
    target: float | None


def worst_first(tools: Mapping[str, Figures], suspected: Mapping[str, int]) -> list[str]:
    """Tool names by the upper bound of their success rate, so that tools with few calls don't rank
    high by chance."""
    return sorted(tools, key=lambda name: (tools[name].worst_first(suspected.get(name, 0)), name))


def tool_rows(
    slug: str,
    scope: Scope,
    shown: Sequence[str],
    now: Period,
    tools: Mapping[str, Figures],
    before: Mapping[str, Figures],
    *,
    fallen: Collection[str] = (),
    suspected: Mapping[str, int] | None = None,
    targets: Mapping[str, float] | None = None,
) -> list[ToolRow]:
    """Rows with each tool's figures, now and before. Their sparklines share one scale."""
    rates = {name: now.rates(name) for name in shown}
    known = [rate for row in rates.values() for rate in row if rate is not None]
    among = (min(known, default=0.0), 1.0)
    return [
        ToolRow(
            name,
            tools[name],
            before.get(name, Figures()),
            row_spark(rates[name], among, f"Success of {name} over time", bad=name in fallen),
            tool_url(slug, name, **scope.query()),
            (suspected or {}).get(name, 0),
            (targets or {}).get(name),
        )
        for name in shown
    ]

"""Tools of a project in a scope and the previous period, read from rollups."""

from collections.abc import Mapping
from dataclasses import dataclass

from outcomes.core.moments import Span
from outcomes.core.scope import Scope
from outcomes.figures.queries.by_tool import ToolSlots, read_tools
from outcomes.figures.queries.rollups import RateSlot, Slot
from outcomes.tools.domain.tools import Compared


@dataclass(frozen=True, slots=True)
class Tools:
    rows: list[Compared]  # tools called in the scope, with percentiles
    rates: Mapping[str, list[float | None]]  # success rate of each tool per step


def tools_in(project_id: int, scope: Scope, suspected: Mapping[str, int]) -> Tools:
    steps = scope.steps()
    spans = [Span(scope.previous.since, scope.since), *steps]
    rows, rates = list[Compared](), dict[str, list[float | None]]()
    for name, tool in read_tools(project_id, scope, spans, _slot, durations=True).items():
        if now := tool.now.figures():
            rows.append(Compared(name, now, tool.before.figures(), suspected.get(name, 0)))
            rates[name] = tool.rates(range(1, len(spans)))
    return Tools(rows, rates)


def _slot(tool: ToolSlots, place: int) -> Slot:
    """Slot of a tool for a step; step 0 is the whole previous period."""
    if not place:
        return tool.before
    if place not in tool.steps:
        tool.steps[place] = RateSlot(tool.now)
    return tool.steps[place]

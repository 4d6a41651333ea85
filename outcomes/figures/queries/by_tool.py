"""Counts of each tool in a scope and the previous period, read in one statement."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from outcomes.core.moments import Span
from outcomes.core.scope import Scope
from outcomes.figures.domain.rollups import DAY
from outcomes.figures.queries.rollups import RateSlot, Reading, Slot
from outcomes.figures.queries.stats import NOBODY, numbered, place_in, runs_in
from outcomes.models import Agent, Tool


@dataclass(frozen=True, slots=True)
class ToolSlots:
    before: Slot = field(default_factory=Slot)
    now: Slot = field(default_factory=Slot)
    steps: dict[int, RateSlot] = field(default_factory=dict)

    def rates(self, steps: range) -> list[float | None]:
        return [self.steps[step].rate if step in self.steps else None for step in steps]


def read_tools(
    project_id: int,
    scope: Scope,
    spans: Sequence[Span],
    slot_of: Callable[[ToolSlots, int], Slot],
    *,
    durations: bool = False,
) -> dict[str, ToolSlots]:
    """Counts by tool name; `slot_of` returns a tool's slot for one of the spans."""
    agent = numbered(Agent, project_id, scope.agent)
    if agent == NOBODY:
        return {}
    reading = Reading(
        project=project_id,
        environment=scope.environment,
        tool=None,
        agent=agent,
        by_tool=True,
        by_agent=False,
        since=scope.previous.since,
        until=scope.until,
        durations=durations,
    )
    slots: defaultdict[int, ToolSlots] = defaultdict(ToolSlots)
    place_of = place_in(list(spans))

    def slot(_environment: int, minute: int, tool: int, _agent: int) -> Slot:
        return slot_of(slots[tool], place_of(minute))

    reading.into(slot, runs_in(reading, DAY, list(spans)))
    names = Tool.objects.filter(project=project_id, pk__in=slots)
    return {name: slots[number] for number, name in names.values_list("pk", "name")}

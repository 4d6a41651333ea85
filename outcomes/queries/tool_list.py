"""The tools of a project in a scope, each beside the time before, from the rollups."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from outcomes.domain.durations import Pile
from outcomes.domain.figures import Figures
from outcomes.domain.rollups import DAY
from outcomes.domain.scope import Scope
from outcomes.domain.steps import Span
from outcomes.domain.tools import Compared
from outcomes.models import Agent, Tool
from outcomes.queries.rollups import Reading, Slot
from outcomes.queries.stats import NOBODY, numbered, place_in, runs_in


@dataclass(slots=True)
class _OfTool:
    """What is counted of one tool: durations of two times, counts of each step of the later one."""

    before: Slot = field(default_factory=Slot)
    took: Pile = field(default_factory=Pile)
    steps: dict[int, Slot] = field(default_factory=dict)

    def slot(self, place: int) -> Slot:
        if not place:
            return self.before
        if place not in self.steps:
            self.steps[place] = Slot(pile=self.took)  # one for all steps
        return self.steps[place]

    def rates(self, steps: int) -> list[float | None]:
        return [
            self.steps[place].rate if place in self.steps else None for place in range(1, steps + 1)
        ]

    def now(self) -> Figures:
        whole = Slot(pile=self.took)
        for step in self.steps.values():
            whole.merge(step)
        return whole.figures()


@dataclass(frozen=True, slots=True)
class Tools:
    rows: list[Compared]  # those that were called in the scope, with percentiles
    rates: Mapping[str, list[float | None]]  # of each, step by step


def tools_in(project_id: int, scope: Scope) -> Tools:
    """All from one statement, which goes through both times once."""
    agent = numbered(Agent, project_id, scope.agent)
    if agent == NOBODY:
        return Tools([], {})
    steps = scope.steps()
    spans = [Span(scope.previous.since, scope.since), *steps]
    reading = Reading(
        project=project_id,
        environment=scope.environment,
        tool=None,
        agent=agent,
        by_tool=True,
        by_agent=False,
        since=scope.previous.since,
        until=scope.until,
        durations=True,
    )
    found: defaultdict[int, _OfTool] = defaultdict(_OfTool)
    place_of = place_in(spans)

    def slot_of(_environment: int, minute: int, tool: int, _agent: int) -> Slot:
        return found[tool].slot(place_of(minute))

    reading.into(slot_of, runs_in(reading, DAY, spans))
    names = Tool.objects.filter(project=project_id, pk__in=found)
    rows, rates = list[Compared](), dict[str, list[float | None]]()
    for number, name in names.values_list("pk", "name"):
        if now := found[number].now():
            rows.append(Compared(name, now, found[number].before.figures()))
            rates[name] = found[number].rates(len(steps))
    return Tools(rows, rates)

"""Figures of a period and the previous one, and the change in success rate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from governance.core.figures import percent, points, thousands
from outcomes.core.scope import Scope
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.by_tool import ToolSlots, read_tools
from outcomes.figures.queries.rollups import RateSlot, Slot
from outcomes.figures.queries.stats import StepFigures
from outcomes.models import Event
from outcomes.stored.queries import CallFilter


@dataclass(frozen=True)
class Period:
    steps: list[StepFigures]
    by_tool: Mapping[str, Figures] = field(default_factory=dict)
    tools: Mapping[str, ToolSlots] = field(default_factory=dict)
    places: range = range(0)  # positions of this period's steps in the tools' steps

    @cached_property
    def total(self) -> Figures:
        return summed(self.steps)

    def rates(self, tool: str) -> list[float | None]:
        """Success rate of a tool in each step."""
        return self.tools[tool].rates(self.places)


def both_periods(scope: Scope, tool: int = 0, agent: int = 0) -> CallFilter:
    """Filter for calls of a scope and the previous period, which ends where the scope begins."""
    return CallFilter(
        environment=scope.environment,
        agent=scope.agent,
        tool_number=tool,
        agent_number=agent,
        since=scope.previous.since,
        until=scope.until,
    )


def two_periods(project_id: int, scope: Scope) -> tuple[Period, Period]:
    """Figures of the scope and of the previous period, read in one query."""
    spans = [*scope.previous.steps(), *scope.steps()]
    first = len(scope.previous.steps())
    steps = [Slot() for _ in spans]

    def slot_of(tool: ToolSlots, place: int) -> Slot:
        if place not in tool.steps:
            sums = tool.now if place >= first else tool.before
            tool.steps[place] = RateSlot(sums, steps[place])
        return tool.steps[place]

    tools = read_tools(project_id, scope, spans, slot_of)
    now = {name: tool.now.figures() for name, tool in tools.items()}
    before = {name: tool.before.figures() for name, tool in tools.items()}
    figures = [
        StepFigures(span.start, span.end, slot.figures())
        for span, slot in zip(spans, steps, strict=True)
    ]
    return (
        Period(figures[first:], _called(now), tools, range(first, len(spans))),
        Period(figures[:first], _called(before), tools, range(first)),
    )


def _called(tools: Mapping[str, Figures]) -> dict[str, Figures]:
    return {name: figures for name, figures in tools.items() if figures}


def periods(scope: Scope, steps: list[StepFigures]) -> tuple[Period, Period]:
    """Split steps into those of the scope and those of the previous period."""
    now = len(scope.previous.steps())
    return Period(steps[now:]), Period(steps[:now])


def summed(steps: list[StepFigures]) -> Figures:
    return summed_figures(step.figures for step in steps)


def summed_figures(several: Iterable[Figures]) -> Figures:
    total = Figures()
    for figures in several:
        _add(total, figures)
    return total


def newest_event(project_id: int) -> int:
    rows = Event.objects.filter(project=project_id).order_by("-id")
    return rows.values_list("id", flat=True).first() or 0


def _add(total: Figures, more: Figures) -> None:
    # Runs for thousands of small figures; Counter.update() takes three times as long.
    counts, differing = total.counts, total.differing
    for became, calls in more.counts.items():
        counts[became] += calls
    for became, calls in more.differing.items():
        differing[became] += calls
    for became, calls in more.unchecked.items():
        total.unchecked[became] += calls
    if more.durations:
        durations = total.durations
        for bucket, calls in more.durations.items():
            durations[bucket] += calls


def points_words(now: Figures, before: Figures) -> str:
    """Change of the success rate, such as: +2.1 pts vs 95.8 % of 18,102"""
    if now.rate is None or before.rate is None:
        return ""
    moved = points(round(100 * now.rate, 1) - round(100 * before.rate, 1))
    return f"{moved} pts vs {percent(before.rate)} of {thousands(before.judged)}"


def is_worse(now: Figures, before: Figures) -> bool:
    """Whether the rate is significantly lower: the two confidence intervals don't overlap."""
    if now.bounds is None or before.bounds is None:
        return False
    return now.bounds[1] < before.bounds[0]

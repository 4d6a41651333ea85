"""Figures of one tool in a scope and the previous period, read from rollups."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Subquery

from outcomes.core.scope import Scope
from outcomes.figures.comparison import Period, both_periods, periods
from outcomes.figures.queries.stats import NOBODY, figures_by_over_time, figures_over_time
from outcomes.models import Agent, Event, Tool
from outcomes.record.codec import digest_of
from outcomes.tools.domain.tools import Compared


@dataclass(frozen=True, slots=True)
class NamedTool:
    """A tool looked up by name, with other values that its page needs, read in one query."""

    tool: Tool
    agent: int  # id of the scope's agent; 0: none
    newest_event: int  # of the project, to detect changes


def tool_named(project_id: int, name: str, scope: Scope) -> NamedTool | None:
    newest = Event.objects.filter(project=project_id).order_by("-id").values("id")[:1]
    agent = Agent.objects.filter(project=project_id, digest=digest_of(scope.agent)).values("pk")
    known = Tool.objects.filter(project=project_id, digest=digest_of(name))
    tool = known.annotate(newest=Subquery(newest), agent=Subquery(agent)).first()
    if tool is None:
        return None
    number = (tool.agent or NOBODY) if scope.agent else 0
    return NamedTool(tool, number, tool.newest or 0)


def periods_of_tool(named: NamedTool, scope: Scope) -> tuple[Period, Period]:
    """Figures of one tool in the scope and the previous period, with percentiles."""
    steps = figures_over_time(
        named.tool.project_id,
        both_periods(scope, named.tool.pk, named.agent),
        scope.step,
        scope.zone,
        cut=scope.since,
        durations=True,
    )
    return periods(scope, steps)


def agents_of_tool(named: NamedTool, scope: Scope, suspected: Mapping[str, int]) -> list[Compared]:
    """Figures by agent, those with the most calls first."""
    filters = both_periods(scope, named.tool.pk, named.agent)
    read = figures_by_over_time(named.tool.project_id, "agent", filters, None, cut=scope.since)
    rows = [
        Compared(name, now.figures, before.figures, suspected.get(name, 0))
        for name, (before, now) in read.items()
        if now.figures
    ]
    return sorted(rows, key=lambda row: (-row.now.calls, row.name))

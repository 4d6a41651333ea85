"""One tool in a scope and in the time before it; all of it comes from the rollups."""

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
    """A tool that is asked for by its name, with what its page would ask for besides."""

    tool: Tool
    agent: int  # the number of the scope's; 0: it has none
    newest_event: int  # of the whole project, which tells whether anything changed


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
    """The scope and the one before it, of one tool, with percentiles."""
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
    """By agent, those that call it most first."""
    filters = both_periods(scope, named.tool.pk, named.agent)
    read = figures_by_over_time(named.tool.project_id, "agent", filters, None, cut=scope.since)
    rows = [
        Compared(name, now.figures, before.figures, suspected.get(name, 0))
        for name, (before, now) in read.items()
        if now.figures
    ]
    return sorted(rows, key=lambda row: (-row.now.calls, row.name))

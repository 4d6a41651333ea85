"""Disagreements between agents and the console: by tool, by agent, and by both.

Figures by tool and by agent are read from rollups, so they are exact. Groups by both and by check
are read from the newest calls that disagree."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from governance.core.wilson import wilson
from outcomes.database.reading import reading
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.stats import figures_by
from outcomes.models import Call
from outcomes.record.classification import agent_check
from outcomes.stored.queries import CallFilter, read_calls, with_names

COUNTED: Final = 5_000  # newest calls with a disagreement
ROWS: Final = 50
_LOOKED_AT: Final = (
    "id", "at", "order", "agent_id", "tool_id", "check_name", "check_version", "reported",
)  # fmt: skip
# Groups of the newest calls, each with its newest call.
_GROUPS: Final = """
WITH newest AS (
  SELECT id, agent_id, tool_id, check_name, check_version, reported,
         ROW_NUMBER() OVER (ORDER BY at DESC, "order" DESC) AS place
  FROM ({newest}) AS looked_at
), alike AS (
  SELECT agent_id, tool_id, check_name, check_version, MIN(place) AS place, COUNT(*) AS calls,
         SUM(CASE WHEN reported = 'success' THEN 1 ELSE 0 END) AS success
  FROM newest GROUP BY agent_id, tool_id, check_name, check_version
)
SELECT agent.name, tool.name, alike.check_name, alike.check_version, newest.id, alike.success,
       alike.calls
FROM alike JOIN newest ON newest.place = alike.place
JOIN outcomes_agent AS agent ON agent.id = alike.agent_id
JOIN outcomes_tool AS tool ON tool.id = alike.tool_id
"""


class Judge(NamedTuple):
    """Name and version of the check used by the agent or by the console."""

    name: str
    version: int | None


@dataclass(slots=True)
class Differing:
    """Figures of one tool or one agent."""

    name: str
    judged: int = 0
    agent_only_success: int = 0  # the check says failure
    agent_only_failure: int = 0

    @property
    def disagreements(self) -> int:
        return self.agent_only_success + self.agent_only_failure

    @property
    def worst(self) -> tuple[float, str]:
        return -wilson(self.disagreements, self.judged)[0], self.name


@dataclass(slots=True)
class Group:
    """Disagreements of one agent, one tool and one check version."""

    agent: str
    tool: str
    judge: Judge
    newest: int  # call
    agent_only_success: int
    agent_only_failure: int
    call_id: str = ""  # like the fields below, of the newest call
    environment: str = ""
    at: datetime | None = None
    reported_by: Judge | None = None  # the check that the agent used

    @property
    def disagreements(self) -> int:
        return self.agent_only_success + self.agent_only_failure

    @property
    def is_behind(self) -> bool:
        """Whether the agent used an older version of the same check."""
        theirs, ours = self.reported_by, self.judge
        return (
            theirs is not None
            and theirs.name == ours.name
            and (theirs.version or 0) < (ours.version or 0)
        )

    @property
    def is_other(self) -> bool:
        return self.reported_by is not None and self.reported_by.name != self.judge.name


@dataclass(frozen=True, slots=True)
class Disagreements:
    tools: list[Differing]  # worst first; only tools with disagreements
    agents: list[Differing]
    groups: list[Group]  # most frequent first
    judged: int
    total: int
    counted: int  # calls in all groups
    more: Mapping[str, int] = field(default_factory=dict)  # number of rows omitted from each table


def disagreements(
    project_id: int, environment: str, since: datetime, until: datetime
) -> Disagreements:
    """Disagreements of a period of whole minutes, so that all figures cover the same calls."""
    filters = CallFilter(environment=environment, since=since, until=until)
    tools = _sums(figures_by(project_id, "tool", filters))
    agents = _sums(figures_by(project_id, "agent", filters))
    groups, counted = _groups(project_id, environment, since, until)
    differing = {
        "tools": sorted((each for each in tools if each.disagreements), key=lambda one: one.worst),
        "agents": sorted((each for each in agents if each.disagreements), key=lambda a: a.worst),
    }
    return Disagreements(
        tools=differing["tools"][:ROWS],
        agents=differing["agents"][:ROWS],
        groups=groups[:ROWS],
        judged=sum(each.judged for each in tools),
        total=sum(each.disagreements for each in tools),
        counted=counted,
        more={
            "tools": max(0, len(differing["tools"]) - ROWS),
            "agents": max(0, len(differing["agents"]) - ROWS),
            "groups": max(0, len(groups) - ROWS),
        },
    )


def _sums(figures: Mapping[str, Figures]) -> list[Differing]:
    return [
        Differing(name, each.judged, each.agent_only_success, each.agent_only_failure)
        for name, each in figures.items()
    ]


def _groups(
    project_id: int, environment: str, since: datetime, until: datetime
) -> tuple[list[Group], int]:
    rows = Call.objects.filter(
        project=project_id, at__gte=since, at__lt=until, disagreement=True
    ).order_by("-at", "-order")
    if environment:
        rows = rows.filter(environment__name=environment)
    statement, values = rows.values_list(*_LOOKED_AT)[:COUNTED].query.sql_with_params()
    with reading().cursor() as cursor:
        cursor.execute(_GROUPS.format(newest=statement), values)
        counted = cursor.fetchall()
    groups = [
        Group(agent, tool, Judge(check, version), newest, success, calls - success)
        for agent, tool, check, version, newest, success, calls in counted
    ]
    groups.sort(key=lambda each: (-each.disagreements, each.agent, each.tool))
    _add_newest(groups[:ROWS])
    return groups, sum(each.disagreements for each in groups)


def _add_newest(groups: Iterable[Group]) -> None:
    """Add the newest call to each group; it names the check that the agent used."""
    by_call = {group.newest: group for group in groups}
    rows = list(with_names(Call.objects.filter(pk__in=list(by_call))))
    for call in read_calls(rows):
        row, group = call.row, by_call[call.row.pk]
        group.call_id, group.environment, group.at = row.call_id, row.environment.name, row.at
        used = agent_check(call.folded.metadata)
        group.reported_by = None if used is None else Judge(*used)

"""Where agents report another verdict than the console gives: by tool, by agent, and by both.

By tool and by agent it is counted by minute, so these figures are exact. Both together, and the
check that gave the verdict, are read from the newest calls that disagree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from governance.domain.success import Verdict
from governance.domain.wilson import wilson
from outcomes.domain.figures import Figures
from outcomes.models import Call
from outcomes.queries.calls import CallFilter, whole_calls, with_names
from outcomes.queries.stats import figures_by

COUNTED: Final = 5_000  # calls that disagree
ROWS: Final = 50
_SUCCESS: Final = Verdict.SUCCESS.value


class Judge(NamedTuple):
    """A check as one of the two sides names it."""

    name: str
    version: int | None


@dataclass(slots=True)
class Differing:
    """Of one tool, or of one agent."""

    name: str
    judged: int = 0
    agent_said_success: int = 0  # and the check failure
    agent_said_failure: int = 0

    @property
    def disagreements(self) -> int:
        return self.agent_said_success + self.agent_said_failure

    @property
    def worst(self) -> tuple[float, str]:
        return -wilson(self.disagreements, self.judged)[0], self.name


@dataclass(slots=True)
class Group:
    """One agent, one tool, one version of the check that judged."""

    agent: str
    tool: str
    judge: Judge
    newest: int  # call
    call_id: str
    environment: str
    at: datetime
    agent_said_success: int = 0
    agent_said_failure: int = 0
    reported_by: Judge | None = None  # the check that the agent says it used, of the newest call

    @property
    def disagreements(self) -> int:
        return self.agent_said_success + self.agent_said_failure

    @property
    def is_behind(self) -> bool:
        """Whether the agent used an older version of the very check."""
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
    tools: list[Differing]  # the worst first, only those that disagree
    agents: list[Differing]
    groups: list[Group]  # the most frequent first
    judged: int
    total: int
    counted: int  # calls that the groups are of
    more: Mapping[str, int] = field(default_factory=dict)  # what is not among the rows


def disagreements(
    project_id: int, environment: str, since: datetime, until: datetime
) -> Disagreements:
    """Of full minutes, so that all of it is of the same calls."""
    wanted = CallFilter(environment=environment, since=since, until=until)
    tools = _sums(figures_by(project_id, "tool", wanted))
    agents = _sums(figures_by(project_id, "agent", wanted))
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


def _sums(found: Mapping[str, Figures]) -> list[Differing]:
    return [
        Differing(name, each.judged, each.agent_said_success, each.agent_said_failure)
        for name, each in found.items()
    ]


def _groups(
    project_id: int, environment: str, since: datetime, until: datetime
) -> tuple[list[Group], int]:
    rows = Call.objects.filter(
        project=project_id, at__gte=since, at__lt=until, disagreement=True
    ).order_by("-at", "-order")
    if environment:
        rows = rows.filter(environment__name=environment)
    columns = (
        "id", "agent__name", "tool__name", "check_name", "check_version", "reported",
        "call_id", "environment__name", "at",
    )  # fmt: skip
    found: dict[tuple[str, str, Judge], Group] = {}
    counted = 0
    for number, agent, tool, check, version, reported, *told in rows.values_list(*columns)[
        :COUNTED
    ]:
        counted += 1
        place = agent, tool, Judge(check, version)
        group = found.get(place)
        if group is None:
            group = found[place] = Group(*place, number, *told)
        if reported == _SUCCESS:
            group.agent_said_success += 1
        else:
            group.agent_said_failure += 1
    groups = sorted(found.values(), key=lambda each: (-each.disagreements, each.agent, each.tool))
    _ask_what_agents_used(groups[:ROWS])
    return groups, counted


def _ask_what_agents_used(groups: Iterable[Group]) -> None:
    """As the newest call of each tells it; clients that ask a named check say which."""
    by_call = {group.newest: group for group in groups}
    rows = list(with_names(Call.objects.filter(pk__in=list(by_call))))
    for whole in whole_calls(rows):
        by_call[whole.row.pk].reported_by = _judge(whole.folded.metadata)


def _judge(metadata: dict[str, Any] | None) -> Judge | None:
    told = (metadata or {}).get("success_check")
    if not isinstance(told, dict) or not isinstance(told.get("name"), str) or not told["name"]:
        return None
    version = told.get("version")
    is_number = isinstance(version, int) and not isinstance(version, bool)
    return Judge(told["name"][:128], version if is_number else None)

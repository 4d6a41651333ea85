"""Recent calls by binding, counted from rollups, and from calls for agents that a binding
names."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Count, QuerySet

from governance.checks.domain import Binding
from governance.matching.globs import glob_matches
from governance.people.queries.projects import environments_by_id
from outcomes.check_editor.domain.quotas import Counted, SharedOut, names_agents, shared_out
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.place_figures import figures_by_both, figures_by_place
from outcomes.models import Agent, Call, Tool

# Outcomes that checks classify; timeouts and failures are failures without a check.
JUDGED: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)
LOOKED_THROUGH: Final = 200_000  # calls of such agents; with more, the newest are a sample of all


class _Names(NamedTuple):
    environments: Mapping[int, str]
    tools: Mapping[int, str]


def calls_shared_out(project_id: int, lines: tuple[Binding, ...], since: datetime) -> SharedOut:
    """Calls by binding, with at most six queries for any number of bindings."""
    return _since(project_id, lines, since, _names(project_id))


def two_calls_shared_out(
    project_id: int, lines: tuple[Binding, ...], *, since: datetime, cut: datetime
) -> tuple[SharedOut, SharedOut]:
    """Calls by binding before and after the cut. The part before it costs one query of rollups, and
    one of names if a binding names agents."""
    names = _names(project_id)
    before = _between(project_id, lines, since, cut, names)
    return before, _since(project_id, lines, cut, names)


def _names(project_id: int) -> _Names:
    tools = Tool.objects.filter(project=project_id).values_list("pk", "name")
    return _Names(environments_by_id(project_id), dict(tools))


def _since(
    project_id: int, lines: tuple[Binding, ...], since: datetime, names: _Names
) -> SharedOut:
    by_tool = _by_tool(names, figures_by_place(project_id, "tool", since=since))
    named = names_agents(lines)
    by_agent = _by_agent(project_id, names.environments, named, since) if named else []
    return shared_out(lines, by_tool, by_agent)


def _between(
    project_id: int, lines: tuple[Binding, ...], since: datetime, until: datetime, names: _Names
) -> SharedOut:
    named = names_agents(lines)
    if not named:
        figures = figures_by_place(project_id, "tool", since=since, until=until)
        return shared_out(lines, _by_tool(names, figures))
    pairs = figures_by_both(project_id, since=since, until=until)
    about = _named(project_id, {agent for _, _, agent in pairs}, named)
    by_pair = [
        (agent, Counted(names.environments[place], names.tools[tool], _judged(each)))
        for (place, tool, agent), each in pairs.items()
    ]
    by_agent = [each._replace(agent=about[agent]) for agent, each in by_pair if agent in about]
    by_tool: Counter[tuple[str, str]] = Counter()
    for _, each in by_pair:
        by_tool[each.environment, each.tool] += each.calls
    return shared_out(lines, [Counted(*key, calls) for key, calls in by_tool.items()], by_agent)


def _by_tool(names: _Names, figures: Mapping[tuple[int, int], Figures]) -> list[Counted]:
    return [
        Counted(names.environments[place], names.tools[tool], _judged(each))
        for (place, tool), each in figures.items()
    ]


def _judged(figures: Figures) -> int:
    return figures.with_outcome(*JUDGED)


def _by_agent(
    project_id: int, environments: Mapping[int, str], globs: Iterable[str], since: datetime
) -> list[Counted]:
    called: Counter[int] = Counter()
    for (_, agent), each in figures_by_place(project_id, "agent", since=since).items():
        called[agent] += _judged(each)
    names = _named(project_id, called, globs)
    if not names:
        return []
    total = sum(called[agent] for agent in names)
    rows = Call.objects.filter(
        project=project_id, at__gte=since, kind__in=JUDGED, agent__in=list(names)
    )
    factor = 1.0
    if total > LOOKED_THROUGH:
        newest = rows.order_by("-at", "-order").values("pk")[:LOOKED_THROUGH]
        rows, factor = Call.objects.filter(pk__in=newest), total / LOOKED_THROUGH
    return [
        Counted(environments[place], tool, round(calls * factor), names[agent])
        for place, tool, agent, calls in _counted(rows)
    ]


def _named(project_id: int, agents: Iterable[int], globs: Iterable[str]) -> dict[int, str]:
    """Names of the agents that match a glob, by id."""
    rows = Agent.objects.filter(project=project_id, pk__in=list(agents)).values_list("pk", "name")
    return {agent: name for agent, name in rows if any(glob_matches(glob, name) for glob in globs)}


def _counted(rows: QuerySet[Call]) -> Iterable[tuple[int, str, int, int]]:
    return (
        rows.order_by()
        .values_list("environment", "tool__name", "agent")
        .annotate(calls=Count("pk"))
    )

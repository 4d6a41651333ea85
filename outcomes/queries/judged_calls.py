"""The calls of the last hours as bindings share them out: from the rollups, and of agents
that some line is about from their calls."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db.models import Count, QuerySet

from governance.domain.bindings import Binding
from governance.domain.checks.matching.globs import glob_matches
from governance.queries.projects import environments_by_id
from outcomes.domain.figures import Figures
from outcomes.domain.shared_out import Counted, SharedOut, names_agents, shared_out
from outcomes.models import Agent, Call, Tool
from outcomes.queries.place_figures import figures_by_place

# What a check may be asked of; a timeout or a failure is one without asking.
JUDGED: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)
LOOKED_THROUGH: Final = 200_000  # calls of such agents; of more the newest stand for all


def calls_shared_out(project_id: int, lines: tuple[Binding, ...], since: datetime) -> SharedOut:
    """Six queries at most, however many lines there are."""
    environments = environments_by_id(project_id)
    tools = dict(Tool.objects.filter(project=project_id).values_list("pk", "name"))
    by_tool = [
        Counted(environments[place], tools[tool], _judged(each))
        for (place, tool), each in figures_by_place(project_id, "tool", since=since).items()
    ]
    named = names_agents(lines)
    by_agent = _by_agent(project_id, environments, named, since) if named else []
    return shared_out(lines, by_tool, by_agent)


def _judged(figures: Figures) -> int:
    return figures.of_kind(*JUDGED)


def _by_agent(
    project_id: int, environments: dict[int, str], globs: Iterable[str], since: datetime
) -> list[Counted]:
    called: Counter[int] = Counter()
    for (_, agent), each in figures_by_place(project_id, "agent", since=since).items():
        called[agent] += _judged(each)
    names_of = Agent.objects.filter(project=project_id, pk__in=list(called))
    about = [
        (agent, name, called[agent])
        for agent, name in names_of.values_list("pk", "name")
        if any(glob_matches(glob, name) for glob in globs)
    ]
    if not about:
        return []
    names = {agent: name for agent, name, _ in about}
    whole = sum(calls for _, _, calls in about)
    rows = Call.objects.filter(
        project=project_id, at__gte=since, kind__in=JUDGED, agent__in=list(names)
    )
    factor = 1.0
    if whole > LOOKED_THROUGH:
        newest = rows.order_by("-at", "-order").values("pk")[:LOOKED_THROUGH]
        rows, factor = Call.objects.filter(pk__in=newest), whole / LOOKED_THROUGH
    return [
        Counted(environments[place], tool, round(calls * factor), names[agent])
        for place, tool, agent, calls in _counted(rows)
    ]


def _counted(rows: QuerySet[Call]) -> Iterable[tuple[int, str, int, int]]:
    return (
        rows.order_by()
        .values_list("environment", "tool__name", "agent")
        .annotate(calls=Count("pk"))
    )

"""The calls of the last hours as bindings share them out: from the counts by minute, and of agents
that some line is about from their calls."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db.models import Count, QuerySet, Sum

from governance.domain.bindings import Binding
from governance.domain.globs import glob_matches
from governance.queries.projects import environments_by_id
from outcomes.domain.shared_out import Counted, SharedOut, names_agents, shared_out
from outcomes.models import AgentMinute, Call, ToolMinute

# What a check may be asked of; a timeout or a failure is one without asking.
JUDGED: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)
LOOKED_THROUGH: Final = 200_000  # calls of such agents; of more the newest stand for all


def calls_shared_out(project_id: int, lines: tuple[Binding, ...], since: datetime) -> SharedOut:
    """Four queries at most, however many lines there are."""
    environments = environments_by_id(project_id)
    minutes = (
        ToolMinute.objects.filter(environment__in=environments, minute__gte=since, kind__in=JUDGED)
        .order_by()
        .values_list("environment", "tool__name")
        .annotate(sum=Sum("calls"))
    )
    by_tool = [Counted(environments[place], tool, calls) for place, tool, calls in minutes]
    named = names_agents(lines)
    by_agent = _by_agent(project_id, environments, named, since) if named else []
    return shared_out(lines, by_tool, by_agent)


def _by_agent(
    project_id: int, environments: dict[int, str], globs: Iterable[str], since: datetime
) -> list[Counted]:
    minutes = (
        AgentMinute.objects.filter(environment__in=environments, minute__gte=since, kind__in=JUDGED)
        .order_by()
        .values_list("agent", "agent__name")
        .annotate(sum=Sum("calls"))
    )
    about = [
        (agent, name, calls)
        for agent, name, calls in minutes
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

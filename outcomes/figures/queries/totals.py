"""Metric totals with tool names."""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from governance.models import Environment
from outcomes.figures.domain.totals import NAMED, OTHER, OTHER_NAME, Place, zeros
from outcomes.models import NamedTool, SeriesTotal, Tool

LONGEST: Final = 128  # characters of a tool's name
PER_PROJECT: Final = 20_000  # series
ENVIRONMENTS: Final = 100


def totals(project_id: int) -> dict[Place, int]:
    """Counters of a project: one set per tool with its own series, one for all other tools."""
    named = list(NamedTool.objects.filter(project=project_id).values_list("tool", flat=True))
    names = _names(named[:NAMED])
    environments = Environment.objects.filter(project=project_id).order_by("pk")[:ENVIRONMENTS]
    places = dict(environments.values_list("pk", "name"))
    rows = SeriesTotal.objects.filter(environment__in=places, tool__in=[OTHER, *names])
    sums: defaultdict[Place, int] = defaultdict(int)
    columns = ("environment", "of", "tool", "label", "highest")
    for environment, of, tool, label, number in rows.order_by("id").values_list(*columns)[
        :PER_PROJECT
    ]:
        sums[Place(places[environment], of, names.get(tool, OTHER_NAME), label)] += number
    return dict.fromkeys(zeros(places.values(), sums), 0) | sums


def _names(tools: Collection[int]) -> dict[int, str]:
    rows = Tool.objects.filter(pk__in=tools).values_list("pk", "name")
    return {pk: name[:LONGEST] for pk, name in rows}

"""Totals of metrics, with the names of their tools."""

from collections import defaultdict
from collections.abc import Collection
from typing import Final, NamedTuple

from outcomes.figures.domain.totals import NAMED, OTHER
from outcomes.models import NamedTool, SeriesTotal, Tool

OTHER_TOOLS: Final = "other"
LONGEST: Final = 128  # characters of a tool's name
PER_PROJECT: Final = 20_000  # series


class Total(NamedTuple):
    environment: str
    of: str
    tool: str
    label: str
    number: int


def totals(project_id: int) -> list[Total]:
    """Counters of a project: tools that have a name now, and all others together."""
    named = list(NamedTool.objects.filter(project=project_id).values_list("tool", flat=True))
    names = _names(named[:NAMED])
    rows = SeriesTotal.objects.filter(
        environment__project=project_id, tool__in=[OTHER, *names]
    ).order_by("environment", "id")
    sums: defaultdict[tuple[str, str, str, str], int] = defaultdict(int)
    columns = ("environment__name", "of", "tool", "label", "highest")
    for environment, of, tool, label, number in rows.values_list(*columns)[:PER_PROJECT]:
        sums[environment, of, names.get(tool, OTHER_TOOLS), label] += number
    return [Total(*key, number) for key, number in sums.items()]


def _names(tools: Collection[int]) -> dict[int, str]:
    rows = Tool.objects.filter(pk__in=tools).values_list("pk", "name")
    return {pk: name[:LONGEST] for pk, name in rows}

"""Metric totals, updated while rollups are merged: one process at a time counts each call once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from governance.models import Environment
from outcomes.database import bulk
from outcomes.figures.codec.groups import became, unpack_counted, unpack_counts
from outcomes.figures.domain.rollups import DAY, day_minute
from outcomes.figures.domain.totals import NAMED, Counted, Series, gains, most_called
from outcomes.models import NamedTool, Rollup, RollupChange, SeriesTotal

DAYS: Final = 7  # period whose calls decide which tools get their own series
ROWS: Final = 50_000  # newest rollups read
_KEY: Final = ("environment", "of", "tool", "label")
_SUMS: Final = ("current", "highest")


def settled_calls(changes: Iterable[RollupChange]) -> dict[int, list[Counted]]:
    """Calls counted by settling, by environment. Corrections of calls don't change totals."""
    by_environment: defaultdict[int, list[Counted]] = defaultdict(list)
    for change in changes:
        if change.from_settling:
            by_environment[change.environment_id] += _counted(bytes(change.counts))
    return by_environment


def add_totals(by_environment: Mapping[int, Sequence[Counted]]) -> None:
    """Add these calls to the totals. Runs in the transaction that merges their changes."""
    places = Environment.objects.filter(pk__in=by_environment).values_list("pk", "project")
    for environment, project in sorted(places):
        counted = by_environment[environment]
        _add(environment, gains(counted, _named_tools(project, counted)))


def _counted(packed: bytes) -> list[Counted]:
    return [
        Counted(tool, *became(code, reason), calls, disagreements)
        for _, tool, _, code, reason, calls, disagreements in unpack_counts(packed)
    ]


def _named_tools(project: int, counted: Sequence[Counted]) -> set[int]:
    """Tools with their own series, after filling free slots with the tools of these calls."""
    named = set(NamedTool.objects.filter(project=project).values_list("tool", flat=True))
    calls = Counter[int]()
    for each in counted:
        if each.tool not in named:
            calls[each.tool] += each.calls
    new = most_called(calls, NAMED - len(named)) if len(named) < NAMED else []
    bulk.insert_missing(NamedTool, ("project", "tool"), [(project, tool) for tool in new])
    return named | set(new)


def _add(environment: int, gained: dict[Series, int]) -> None:
    tools = {series.tool for series in gained}
    stored = SeriesTotal.objects.filter(environment=environment, tool__in=tools)
    columns = ("of", "tool", "label", *_SUMS)
    before = {Series(*row[:3]): row[3:] for row in stored.values_list(*columns)}
    rows = []
    for series, number in sorted(gained.items()):
        current, highest = before.get(series, (0, 0))
        rows.append((environment, *series, current + number, max(highest, current + number)))
    bulk.put(SeriesTotal, _KEY, _SUMS, rows)


def choose_named_tools() -> None:
    """In projects with more tools than series, reassign the series to the tools with the most
    calls of the last days.

    A tool that loses its series keeps its total and counts as "other" from then on.
    """
    projects = NamedTool.objects.values("project").annotate(tools=Count("id"))
    for project in projects.filter(tools__gte=NAMED).values_list("project", flat=True):
        _choose(project)


def _choose(project: int) -> None:
    chosen = set(most_called(_calls_by_tool(project), NAMED))
    with transaction.atomic():
        rows = NamedTool.objects.filter(project=project)
        named = set(rows.values_list("tool", flat=True))
        # Tools with calls take the slots of those without. A free slot goes to the next new tool.
        rows.filter(tool__in=named - chosen).delete()
        missing = [(project, tool) for tool in sorted(chosen - named)]
        bulk.insert_missing(NamedTool, ("project", "tool"), missing)


def _calls_by_tool(project: int) -> Counter[int]:
    since = day_minute(timezone.now()) - DAYS * DAY
    rows = Rollup.objects.filter(
        environment__project=project, of=Rollup.Of.TOOL, step=DAY, start__gte=since
    )
    calls = Counter[int]()
    for tool, packed in rows.order_by("-id").values_list("tool", "counts")[:ROWS]:
        calls[tool] += sum(number for _, _, number, _ in unpack_counted(bytes(packed)))
    return calls

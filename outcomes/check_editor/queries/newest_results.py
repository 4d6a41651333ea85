"""Newest results of some tools, found in a bounded number of calls."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from django.db.models import OuterRef, Subquery

from outcomes.core.scope import Scope
from outcomes.figures.queries.place_figures import figures_by_place
from outcomes.models import Call, Tool
from outcomes.record.call_columns import COLUMNS, Row
from outcomes.record.codec import as_text, digest_of

MOST: Final = 200
MOST_TOOLS: Final = 10
MOST_KNOWN: Final = 2_000
WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)
_LOOKED_THROUGH: Final = 3  # calls read per result wanted, since not every call has one


def known_tools(project_id: int) -> dict[str, int]:
    """Tools with calls, most recently called first."""
    newest = Call.objects.filter(tool=OuterRef("pk")).order_by("-at").values("at")[:1]
    tools = Tool.objects.filter(project=project_id).annotate(last=Subquery(newest))
    recent = tools.filter(last__isnull=False).order_by("-last", "name")
    return dict(recent.values_list("name", "pk")[:MOST_KNOWN])


def most_called(project_id: int, known: Mapping[str, int], now: datetime) -> str:
    """The tool that ran most often in the last week; empty if none did."""
    counted: Counter[int] = Counter()
    week = now - timedelta(weeks=1)
    for (_, tool), each in figures_by_place(project_id, "tool", since=week).items():
        counted[tool] += each.with_outcome(*WITH_RESULT)
    ran = sorted((-counted[tool], name) for name, tool in known.items() if counted[tool])
    return ran[0][1] if ran else ""


def newest_results(tools: Sequence[int]) -> list[Row]:
    """At most MOST results, newest first, shared evenly among the tools."""
    if not tools:
        return []
    share = MOST // len(tools)
    return _shared_out(_looked_through(tools, share * _LOOKED_THROUGH), share)


def newest_in(tool: Tool, scope: Scope) -> tuple[list[Row], dict[int, str]]:
    """Results of one tool in a scope, newest first, found in a bounded number of its calls, and the
    names of their environments."""
    calls = Call.objects.filter(tool=tool, at__gte=scope.since, at__lt=scope.until)
    most = MOST * _LOOKED_THROUGH
    if scope.environment or scope.agent:
        most *= _LOOKED_THROUGH  # these include calls outside the scope
    newest = calls.order_by("-at").values("pk")[:most]
    rows = Call.objects.filter(pk__in=newest, kind__in=WITH_RESULT)
    if scope.environment:
        rows = rows.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        rows = rows.filter(agent__digest=digest_of(scope.agent))
    read = rows.order_by("-at", "-order").values_list(*COLUMNS, "environment__name")[:MOST]
    chosen = [(Row(*row), name) for *row, name in read]
    return [row for row, _ in chosen], {row.environment: name for row, name in chosen}


def result_numbered(project_id: int, number: int) -> Row | None:
    rows = Call.objects.filter(project=project_id, pk=number, kind__in=WITH_RESULT)
    columns = rows.values_list(*COLUMNS).first()
    return Row(*columns) if columns else None


def _looked_through(tools: Sequence[int], each: int) -> list[Row]:
    # One statement for the newest calls of each tool, which an index has in this order.
    parts = []
    for tool in tools:
        newest = Call.objects.filter(tool=tool).order_by("-at").values("pk")[:each]
        rows = Call.objects.filter(pk__in=newest, kind__in=WITH_RESULT).order_by()
        parts.append(rows.values_list(*COLUMNS))
    first, *others = parts
    return [Row(*row) for row in first.union(*others, all=True)]


def _shared_out(rows: Sequence[Row], share: int) -> list[Row]:
    """Give each tool its share, and distribute unused shares among the others."""
    by_tool: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=_age, reverse=True):
        by_tool[row.tool].append(row)
    first = [row for all_ in by_tool.values() for row in all_[:share]]
    rest = sorted(
        chain.from_iterable(all_[share:] for all_ in by_tool.values()), key=_age, reverse=True
    )
    return sorted([*first, *rest[: MOST - len(first)]], key=_age, reverse=True)


def _age(row: Row) -> tuple[datetime, int]:
    return row.at, row.order

"""Completions for the contract editor from recent calls: tools, arguments, roles."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, Func, IntegerField, OuterRef, QuerySet, Subquery
from django.utils import timezone

from governance.deployments.requirements import Project
from outcomes.calls.queries.lists import newest_events
from outcomes.models import Call, Tool
from outcomes.models import Event as EventRow
from outcomes.record.codec import unpacked_size
from outcomes.stored.queries import read_events

WEEKS = timedelta(weeks=8)
MOST_TOOLS = 2_000
EVENTS = 400  # newest events read for the shape of principals and arguments
CALLS_PER_TOOL = 2  # plus events of each tool's newest calls, so one busy agent hides no other
TOOLS_READ = 150
LARGEST = 16 * 1024  # stored bytes of an event that is read
LARGEST_TEXT = 64 * 1024  # the same uncompressed: repetitive text compresses well
MOST = 300
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class ContractWords:
    tools: list[str]
    roles: list[str]
    selectors: list[str]


def tools_called(project_id: int, now: datetime) -> list[str]:
    """Tools called recently, found by one index lookup each; counting calls would read millions."""
    recent = Call.objects.filter(tool=OuterRef("pk"), at__gte=now - WEEKS)
    known = Tool.objects.filter(Exists(recent), project=project_id)
    return list(known.order_by("name").values_list("name", flat=True)[:MOST_TOOLS])


def tools_of(project: Project) -> list[str]:
    return tools_called(project.pk, timezone.now())


def contract_words(project_id: int, now: datetime) -> ContractWords:
    roles: set[str] = set()
    selectors: set[str] = set()
    small = [row for row in _sampled_events(project_id, now) if _is_small(row)]
    for stored in read_events(small):
        principal = stored.event.principal or {}
        if isinstance(role := principal.get("role"), str):
            roles.add(role)
        selectors.update(_paths("principal.claims", principal.get("claims")))
        selectors.update(_paths("args", stored.event.tool_args))
        selectors.update(_paths("metadata", stored.event.metadata))
    return ContractWords(
        tools_called(project_id, now), sorted(roles)[:MOST], sorted(selectors)[:MOST]
    )


def _sampled_events(project_id: int, now: datetime) -> Iterator[EventRow]:
    events = newest_events(project_id)
    yield from _without_large(events)[:EVENTS]
    calls = _newest_of_tools(project_id, now)
    if calls:
        environments, digests = (
            {environment for environment, _ in calls},
            [digest for _, digest in calls],
        )
        # Filter by environments and ids only: with a project or an order, SQLite would scan all
        # events of the project.
        call_events = EventRow.objects.filter(environment__in=environments, call_digest__in=digests)
        numbers = _without_large(call_events).values_list("pk", flat=True)
        newest = EventRow.objects.filter(pk__in=heapq.nlargest(EVENTS, numbers))
        yield from newest.select_related("agent", "environment")


def _newest_of_tools(project_id: int, now: datetime) -> list[tuple[int, bytes]]:
    """Environment and digest of each tool's newest calls, found by an index."""
    newest_calls = Call.objects.filter(tool=OuterRef("pk"), at__gte=now - WEEKS).order_by("-at")
    newest = {
        f"newest_{place}": Subquery(newest_calls.values("pk")[place : place + 1])
        for place in range(CALLS_PER_TOOL)
    }
    tools = Tool.objects.filter(project=project_id).order_by("-pk").annotate(**newest)
    numbers = [pk for row in tools.values_list(*newest)[:TOOLS_READ] for pk in row if pk]
    calls = Call.objects.filter(pk__in=numbers).values_list("environment", "digest")
    return [(environment, bytes(digest)) for environment, digest in calls]


def _without_large(events: QuerySet[EventRow]) -> QuerySet[EventRow]:
    size = Func(F("item"), function="LENGTH", output_field=IntegerField())
    return events.annotate(size=size).filter(size__lte=LARGEST)


def _is_small(row: EventRow) -> bool:
    return unpacked_size(bytes(row.item)[1:]) <= LARGEST_TEXT


def _paths(above: str, value: Any, depth: int = 1) -> set[str]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return set()
    paths: set[str] = set()
    for key, inner in value.items():
        if len(key) <= 64 and key.replace("_", "").replace("-", "").isalnum():
            paths |= {f"{above}.{key}"} | _paths(f"{above}.{key}", inner, depth + 1)
    return paths

"""What the calls of the last weeks tell who writes a contract: tools, their arguments, roles."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, Func, IntegerField, OuterRef
from django.utils import timezone

from governance.requirements import Project
from outcomes.codec import unpacked_size
from outcomes.models import Call, Tool
from outcomes.queries.calls import newest_events, read_events

WEEKS = timedelta(weeks=8)
MOST_TOOLS = 2_000
EVENTS = 400  # the newest ones are read for what callers and arguments look like
LARGEST = 16 * 1024  # bytes of one that is read for it, as it is kept
LARGEST_TEXT = 64 * 1024  # and as it was sent: what repeats itself is kept in little
MOST = 300
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class ContractWords:
    tools: list[str]
    roles: list[str]
    selectors: list[str]


def tools_called(project_id: int, now: datetime) -> list[str]:
    """Of each tool one call is looked for, by an index: all calls of some weeks are millions."""
    recent = Call.objects.filter(tool=OuterRef("pk"), at__gte=now - WEEKS)
    known = Tool.objects.filter(Exists(recent), project=project_id)
    return list(known.order_by("name").values_list("name", flat=True)[:MOST_TOOLS])


def tools_of(project: Project) -> list[str]:
    return tools_called(project.pk, timezone.now())


def contract_words(project_id: int, now: datetime) -> ContractWords:
    size = Func(F("item"), function="LENGTH", output_field=IntegerField())
    rows = newest_events(project_id).annotate(size=size).filter(size__lte=LARGEST)
    roles: set[str] = set()
    selectors: set[str] = set()
    small = [row for row in rows[:EVENTS] if unpacked_size(bytes(row.item)[1:]) <= LARGEST_TEXT]
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


def _paths(above: str, value: Any, depth: int = 1) -> set[str]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return set()
    found: set[str] = set()
    for key, inner in value.items():
        if len(key) <= 64 and key.replace("_", "").replace("-", "").isalnum():
            found |= {f"{above}.{key}"} | _paths(f"{above}.{key}", inner, depth + 1)
    return found

"""Record which agents hold a stream, so that they stay in the fleet after they disconnect, even
without calls; remove agents that were not seen for a long time.

Rows are written when an agent connects or disconnects, and once an hour while it stays connected.
"""

import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE
from governance.delivery import news
from governance.people.queries.projects import (
    environments_by_id,
    project_numbered,
    projects_with_agents,
)
from outcomes.models import Agent, AgentSeen
from outcomes.stored.names import ids_of

NOTED_EVERY: Final = 3_600.0  # seconds
KEEP_DAYS: Final = timedelta(days=90)  # since the last call, report or stream
AT_ONCE: Final = 500

Place = tuple[str, str]  # environment and name of the agent

_noted: dict[int, dict[Place, float]] = {}  # by project: connected agents, and when each was noted


def note_connected() -> None:
    for project in projects_with_agents():
        held = news.connected(project.pk)
        if held is None:
            continue
        clock, before = time.monotonic(), _noted.get(project.pk, {})
        here = {(each.environment, each.agent) for each in held}
        due = {place for place in here if clock - before.get(place, -NOTED_EVERY) >= NOTED_EVERY}
        if changed := due | (before.keys() - here):
            _keep(project.pk, changed, timezone.now())
        _noted[project.pk] = {place: clock if place in due else before[place] for place in here}


def forget_connected() -> None:
    """Clear this process's record of connected agents."""
    _noted.clear()


def _keep(project_id: int, places: Iterable[Place], now: datetime) -> None:
    environments = {name: pk for pk, name in environments_by_id(project_id).items()}
    known = sorted((environments[there], name) for there, name in places if there in environments)
    for start in range(0, len(known), AT_ONCE):  # short transactions don't block settling
        _keep_some(project_id, known[start : start + AT_ONCE], now)


@transaction.atomic
def _keep_some(project_id: int, known: list[tuple[int, str]], now: datetime) -> None:
    agents = ids_of(Agent, "project", {(project_id, name) for _, name in known})
    # Sorted as in settling, so that two writers never deadlock.
    rows = sorted((environment, agents[project_id, name]) for environment, name in known)
    AgentSeen.objects.bulk_create(
        [
            AgentSeen(environment_id=environment, agent_id=agent, heard_at=now)
            for environment, agent in rows
        ],
        update_conflicts=True,
        unique_fields=["environment", "agent"],
        update_fields=["heard_at"],
    )


def remove_agents_long_gone() -> int:
    """Remove agents from the fleet, per environment, and return their number. Their calls and
    reports stay."""
    now = timezone.now()
    return sum(_remove(project.pk, now) for project in projects_with_agents())


@transaction.atomic
def _remove(project_id: int, now: datetime) -> int:
    before = now - KEEP_DAYS
    silent = (Q(at=None) | Q(at__lt=before)) & (Q(heard_at=None) | Q(heard_at__lt=before))
    rows = AgentSeen.objects.filter(silent, environment__project=project_id).order_by("pk")
    gone = dict(rows.values_list("pk", "environment__name")[:AT_ONCE])
    if not gone:
        return 0
    AgentSeen.objects.filter(silent, pk__in=list(gone)).delete()
    details: dict[str, Detail] = dict(sorted(Counter(gone.values()).items()))
    record(
        CONSOLE,
        "inactive agents removed",
        f"{len(gone):,} not seen since {before:%Y-%m-%d}",
        project=project_numbered(project_id),
        details=details,
    )
    return len(gone)

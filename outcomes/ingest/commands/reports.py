"""Reports about an agent: the newest of each kind, and a short history."""

from collections import Counter
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from governance.people.auth import Access
from governance.people.commands.masking import count_masks
from outcomes.ingest.commands.accept import LONGEST_AGENT
from outcomes.models import Agent, AgentReport, AgentSeen
from outcomes.record.event import UNKNOWN_AGENT
from outcomes.record.wire import mask_report
from outcomes.stored.names import ids_of

NEWEST = 10  # per agent and kind


def keep_report(kind: AgentReport.Kind, body: bytes, *, agent: str, access: Access) -> bool:
    """Store a report. Returns whether it differs from the newest; a repeat only updates a time."""
    assert access.environment_id is not None  # noqa: S101 - a key has one, and only keys report
    environment = access.environment_id
    masked = Counter[str]()
    if access.masking is not None:
        agent = access.masking.identifier(agent, masked)[:LONGEST_AGENT]
        body = mask_report(body, access.masking, masked)
    now, digest = timezone.now(), sha256(body).digest()
    name = agent or _bound_to(access) or UNKNOWN_AGENT
    with transaction.atomic():
        count_masks(access.project_id, masked)
        agent_id = ids_of(Agent, "project", [(access.project_id, name)])[access.project_id, name]
        AgentSeen.objects.bulk_create(
            [AgentSeen(environment_id=environment, agent_id=agent_id, heard_at=now)],
            update_conflicts=True,
            unique_fields=["environment", "agent"],
            update_fields=["heard_at"],
        )
        # Locking the agent's row serialises concurrent reports.
        Agent.objects.select_for_update(no_key=True).get(pk=agent_id)
        rows = AgentReport.objects.filter(environment=environment, agent=agent_id, kind=kind)
        newest = rows.first()
        if newest is not None and bytes(newest.digest) == digest:
            rows.filter(pk=newest.pk).update(last_at=now)
            return False
        _add(kind, body, digest, now, agent_id=agent_id, environment_id=environment)
        newest_ids = list(rows.values_list("pk", flat=True)[:NEWEST])
        rows.exclude(pk__in=newest_ids).delete()
    return True


def _add(
    kind: AgentReport.Kind,
    body: bytes,
    digest: bytes,
    now: datetime,
    *,
    agent_id: int,
    environment_id: int,
) -> None:
    AgentReport.objects.create(
        environment_id=environment_id,
        agent_id=agent_id,
        kind=kind,
        digest=digest,
        size=len(body),
        body=body,
        received_at=now,
        last_at=now,
    )


def _bound_to(access: Access) -> str:
    """Agent that the key is bound to, or empty if its binding is a glob."""
    return "" if {"*", "?"} & set(access.agent) else access.agent

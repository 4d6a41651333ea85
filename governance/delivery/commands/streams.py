"""Resolve the targets of open streams, and store the assignments announced on them."""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone

from governance.delivery.news import Place
from governance.delivery.queries.streams import StreamRequest, Target, TargetResolver
from governance.models import AnnouncedAssignment

NOTED_EVERY = timedelta(days=1)

logger = logging.getLogger(__name__)


def resolve_targets(place: Place, requests: Sequence[StreamRequest]) -> list[Target | None]:
    """Targets of streams of one place; None for a stream whose bundle the agent can't have."""
    resolver = TargetResolver(place, requests)
    targets = [resolver.of(request) for request in requests]
    announced = resolver.new_announcements(requests, targets)
    back = resolver.announced_before(timezone.now() - NOTED_EVERY)
    if announced or back:
        try:
            _store(place.environment_id, announced, back)
        except DatabaseError:  # the agent must get its document anyway
            logger.exception("Could not store which assignments were sent to agents")
    return targets


def _store(environment_id: int, announced: Iterable[tuple[str, str]], back: Iterable[str]) -> None:
    now = timezone.now()
    rows = [
        AnnouncedAssignment(environment_id=environment_id, agent=agent, bundle_name=name, at=now)
        for agent, name in sorted(announced)  # in a fixed order, to avoid deadlocks
    ]
    with transaction.atomic():
        # Reconnecting renews an agent's announcements, so retention doesn't remove them.
        AnnouncedAssignment.objects.filter(environment=environment_id, agent__in=back).update(
            at=now
        )
        AnnouncedAssignment.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)

"""Those who hold a stream: what each is to have, and what it was told, kept for when it is back."""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone

from governance.delivery.news import Place
from governance.delivery.queries.streams import Asked, Standing, Standings
from governance.models import ToldAssignment

NOTED_EVERY = timedelta(days=1)

logger = logging.getLogger(__name__)


def stand(place: Place, asked: Sequence[Asked]) -> list[Standing | None]:
    """What each of them is to have, all of one place; None for one that asks too much."""
    standings = Standings(place, asked)
    found = [standings.of(ask) for ask in asked]
    told = standings.told_anew(asked, found)
    back = standings.told_before(timezone.now() - NOTED_EVERY)
    if told or back:
        try:
            _keep(place.environment_id, told, back)
        except DatabaseError:  # what is in force must reach its agent all the same
            logger.exception("What agents were told of their assignments could not be kept")
    return found


def _keep(environment_id: int, told: Iterable[tuple[str, str]], back: Iterable[str]) -> None:
    now = timezone.now()
    rows = [
        ToldAssignment(environment_id=environment_id, agent=agent, bundle_name=name, at=now)
        for agent, name in sorted(told)  # in one order, so that no two wait for each other
    ]
    with transaction.atomic():
        # As long as an agent comes back, what it was told is kept.
        ToldAssignment.objects.filter(environment=environment_id, agent__in=back).update(at=now)
        ToldAssignment.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)

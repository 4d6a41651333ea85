"""Retries of failed jobs after a delay, by any worker."""

from datetime import timedelta
from typing import Final

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from outcomes.models import SessionRemoval

AGAIN_AFTER: Final = timedelta(minutes=1)


def due() -> Q:
    return Q(next_try_at=None) | Q(next_try_at__lte=timezone.now())


def try_again_later(failed: QuerySet[SessionRemoval]) -> None:
    failed.update(tries=F("tries") + 1, next_try_at=timezone.now() + AGAIN_AFTER)

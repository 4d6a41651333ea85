"""Celery beat, run by one process across all hosts, which holds a lease in the database.

The lease is not in Redis, which may lose it on restart. A scheduler without the lease waits, and
takes over within seconds after it expires.
"""

import logging
import time
from typing import Any, Final

from celery.beat import Scheduler
from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)

NAME: Final = "scheduler"
LASTS: Final = 15.0  # seconds
RENEWED_EVERY: Final = 4.0
PAUSE: Final = 2.0


class LeasedScheduler(Scheduler):
    """Scheduler that keeps its schedule in memory, as a file could be half-written at a kill."""

    _renew_at = _held_until = float("-inf")
    _is_away = False  # whether the database is unreachable

    def tick(self, *args: Any, **kwargs: Any) -> float:
        if not self._holds_lease():
            return PAUSE
        return min(float(super().tick(*args, **kwargs)), PAUSE)

    def close(self) -> None:
        from outcomes.hosts.commands import give_up_lease, key_of  # noqa: PLC0415 - models

        try:
            give_up_lease(NAME, key_of(NAME))
        except DatabaseError as error:  # the lease will expire
            logger.warning("The scheduler's lease was not given back: %s", error)
        super().close()

    def _holds_lease(self) -> bool:
        """Whether this process holds the lease, which also expires by its own clock if the database
        is unreachable."""
        now = time.monotonic()
        if now >= self._renew_at:
            self._renew_at = now + (RENEWED_EVERY if now < self._held_until else PAUSE)
            if self._renewed():
                self._held_until, self._renew_at = now + LASTS, now + RENEWED_EVERY
        return now < self._held_until

    def _renewed(self) -> bool:
        from outcomes.hosts.commands import key_of, take_lease  # noqa: PLC0415 - models

        try:
            is_held = take_lease(NAME, key_of(NAME), seconds=LASTS)
        except DatabaseError as error:
            if not self._is_away:  # log once, not every few seconds
                logger.warning("The scheduler's lease cannot be renewed: %s", error)
            self._is_away = True
            connection.close()
            return False
        self._is_away = False
        if not is_held:
            self._held_until = float("-inf")
        return is_held

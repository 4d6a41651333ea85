"""Celery's beat, held by one process of all hosts: a lease in the database says which.

Redis may restart and forget; the database does not. A scheduler without the lease waits, and takes
over within seconds after the other one's has expired.
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
    """A schedule in memory: on disk it is one more thing that a kill can leave half-written."""

    _renew_at = _held_until = float("-inf")
    _is_away = False  # the database

    def tick(self, *args: Any, **kwargs: Any) -> float:
        if not self._holds_lease():
            return PAUSE
        return min(float(super().tick(*args, **kwargs)), PAUSE)

    def close(self) -> None:
        from outcomes.hosts.commands import give_up_lease, key_of  # noqa: PLC0415 - models

        try:
            give_up_lease(NAME, key_of(NAME))
        except DatabaseError as error:  # it expires
            logger.warning("The scheduler's lease was not given back: %s", error)
        super().close()

    def _holds_lease(self) -> bool:
        """By this process's own clock too: cut off from the database, it ends by itself."""
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
            if not self._is_away:  # once, not every few seconds
                logger.warning("The scheduler's lease cannot be renewed: %s", error)
            self._is_away = True
            connection.close()
            return False
        self._is_away = False
        if not is_held:
            self._held_until = float("-inf")
        return is_held

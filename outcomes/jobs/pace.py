"""Throttle for long-running writers: on SQLite (one writer), they pause while others write."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from outcomes.database import changes_by_others

RESTS: Final = 9  # rest as a multiple of the step's duration
ACTIVE: Final = 1.0  # seconds after a write in which others are expected to write again


class Pace:
    """Rests after each step while other connections are writing."""

    def __init__(self) -> None:
        self._changes = changes_by_others()
        self._active_until = 0.0

    @contextmanager
    def step(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        ended, changes = time.monotonic(), changes_by_others()
        if changes != self._changes:
            self._changes, self._active_until = changes, ended + ACTIVE
        if ended < self._active_until:
            time.sleep(RESTS * (ended - began))

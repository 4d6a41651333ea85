"""The settling worker's sign of life: a file for its supervisor, which ends a worker that has given
none for too long, and the moment for what this process reports of itself."""

import time
from contextlib import suppress
from typing import Final

from django.conf import settings

HEARTBEAT: Final = "worker.heartbeat"
EVERY: Final = 1.0  # seconds
SILENCE: Final = 10.0  # seconds after which settling has stopped: several sweeps

_given = float("-inf")


def give() -> None:
    """Called by the worker as often as it likes."""
    global _given
    now = time.monotonic()
    if now - _given >= EVERY:
        _given = now
        with suppress(OSError):  # a full disk is no reason to stop
            (settings.DATA / HEARTBEAT).touch()


def is_given() -> bool:
    """Whether settling in this process went on of late."""
    return time.monotonic() - _given < SILENCE

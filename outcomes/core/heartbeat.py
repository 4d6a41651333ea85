"""Heartbeat of the settling worker: a file for the supervisor, which kills a worker with a stale
heartbeat, and a timestamp for this process's own status report."""

import time
from contextlib import suppress
from typing import Final

from django.conf import settings

HEARTBEAT: Final = "worker.heartbeat"
EVERY: Final = 1.0  # seconds
SILENCE: Final = 10.0  # seconds after which settling counts as stopped; several sweeps

_given = float("-inf")


def give() -> None:
    """Record a heartbeat, at most once a second. The worker may call it as often as it likes."""
    global _given
    now = time.monotonic()
    if now - _given >= EVERY:
        _given = now
        with suppress(OSError):  # a full disk must not stop the worker
            (settings.DATA / HEARTBEAT).touch()


def is_given() -> bool:
    """Whether settling in this process has made progress recently."""
    return time.monotonic() - _given < SILENCE

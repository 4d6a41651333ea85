"""Sweep the inbox with a timer in the settling worker, independent of the broker.

Posts notify the worker through Redis. A lost notification, or a Redis that is down or hangs, only
costs seconds, as the inbox is the queue and the worker polls it. Other scheduled tasks come from
Celery beat and wait for Redis to return.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from django.db import close_old_connections

EVERY: Final = 2.0  # seconds

logger = logging.getLogger(__name__)


def sweep_by_timer(settle: Callable[[], object]) -> None:
    """Start the timer on a daemon thread."""
    threading.Thread(target=_sweep, args=[settle], name="inbox timer", daemon=True).start()


def _sweep(settle: Callable[[], object]) -> None:
    while True:
        time.sleep(EVERY)
        close_old_connections()
        try:
            settle()
        except Exception:
            logger.exception("Settling failed, and is tried again")

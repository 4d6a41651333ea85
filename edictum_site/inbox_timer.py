"""The sweep of the inbox, by a timer of the settling worker and without the broker.

A post rings through Redis. A ring that is lost, or a Redis that is gone or hangs, costs seconds:
the inbox is the queue, and the worker looks at it by itself. All else that is due by the clock
comes from Celery's beat, and waits for Redis to return.
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
    """On a thread that ends with the process."""
    threading.Thread(target=_sweep, args=[settle], name="inbox timer", daemon=True).start()


def _sweep(settle: Callable[[], object]) -> None:
    while True:
        time.sleep(EVERY)
        close_old_connections()
        try:
            settle()
        except Exception:
            logger.exception("Settling failed, and is tried again")

"""Messages to workers, sent by a separate thread so that no request waits for the broker.

The tables are the queues: the inbox and the job tables. A lost message only delays work until the
next sweep, so a broker failure is only logged.
"""

import logging
import threading
import time
from typing import Final

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

PAUSE = 0.02  # one message settles the entire backlog; sending more often only costs the worker
STALE = 30  # seconds; by then another run has settled everything the message was for

# By name, because the task modules import these packages.
SETTLE: Final = "outcomes.tasks.settle"
BACKTEST: Final = "outcomes.tasks.run_backtest"
CHECK_BACKTEST: Final = "outcomes.tasks.run_check_backtest"
RECLASSIFY: Final = "outcomes.tasks.reclassify"
REMOVE_SESSION: Final = "outcomes.tasks.remove_session"
INDEX: Final = "outcomes.tasks.index_calls"
RETENTION: Final = "outcomes.tasks.run_retention"
ERASE: Final = "outcomes.tasks.erase"
SCAN: Final = "outcomes.tasks.scan_for_suggestions"

logger = logging.getLogger(__name__)


def send(task: str, *numbers: int) -> None:
    expires = STALE if task == SETTLE else None
    current_app.send_task(task, args=numbers, expires=expires, ignore_result=True)


class Doorbell:
    """Sends each distinct message once per interval, at most fifty times a second."""

    def __init__(self) -> None:
        self._messages: dict[tuple[str, tuple[int, ...]], None] = {}
        self._pressed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def ring(self, task: str = SETTLE, *numbers: int) -> None:
        with self._lock:
            self._messages[task, numbers] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, daemon=True)
                self._thread.start()
        self._pressed.set()

    def _serve(self) -> None:
        while True:
            self._pressed.wait()
            self._pressed.clear()
            with self._lock:
                messages, self._messages = self._messages, {}
            try:
                for task, numbers in messages:
                    send(task, *numbers)
            except (OperationalError, RedisError, OSError) as error:
                logger.warning("Broker unavailable; the sweep will find new batches: %s", error)
                time.sleep(1)
            time.sleep(PAUSE)


ring = Doorbell().ring

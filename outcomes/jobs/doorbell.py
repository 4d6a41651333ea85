"""The doorbell: wakes the worker after a commit, at most fifty times a second per process.

The inbox is the queue, and so are the tables of jobs. A ring that is lost costs the time until
the next sweep and nothing else, so a silent broker is only noted.
"""

import logging
import threading
import time
from collections.abc import Callable

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

PAUSE = 0.02  # a message settles all that waits: ringing more often only costs the worker
STALE = 30  # seconds after which the run that the message waited for has settled it all

logger = logging.getLogger(__name__)


def ask_to_settle() -> None:
    _send("outcomes.tasks.settle")


def ask_for_jobs() -> None:
    _send("outcomes.tasks.run_jobs")


def _send(task: str) -> None:
    """By name: the tasks use the rooms, and the rooms ring."""
    current_app.send_task(task, expires=STALE, ignore_result=True)


class Doorbell:
    def __init__(self, word: Callable[[], None] = ask_to_settle) -> None:
        self._word = word
        self._pressed = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        self._pressed.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._serve, daemon=True)
                    self._thread.start()

    def _serve(self) -> None:
        while True:
            self._pressed.wait()
            self._pressed.clear()
            try:
                self._word()
            except (OperationalError, RedisError, OSError) as error:
                logger.warning("The broker is silent; the sweep will find what waits: %s", error)
                time.sleep(1)
            time.sleep(PAUSE)


ring = Doorbell().ring
ring_for_jobs = Doorbell(ask_for_jobs).ring

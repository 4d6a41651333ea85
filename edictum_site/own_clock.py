"""What the clock asks for, done without the broker where that does not bring it in time.

The beat sends its tasks through Redis. A Redis that is gone or hangs must cost nothing but some
seconds: the table is the queue, and a worker that hears nothing looks at it by itself.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)

LATE = 4.0  # seconds after which a task that the broker should have brought is not waited for
LOOKS_EVERY = 0.5


@dataclass(slots=True)
class Due:
    """When each task is due, as one who hears of every run knows it; times are in seconds."""

    every: Mapping[str, float]
    began: float
    _ended: dict[str, float] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)
    _alone: set[str] = field(default_factory=set)  # run here last: the broker is silent

    def brought(self, task: str) -> None:
        self._running[task] += 1
        self._alone.discard(task)

    def ended(self, task: str, now: float) -> None:
        self._running[task] = max(self._running[task] - 1, 0)
        self._ended[task] = now

    def run_here(self, task: str, now: float) -> None:
        self._alone.add(task)
        self._ended[task] = now

    def at(self, now: float) -> list[str]:
        return [task for task in self.every if not self._running[task] and now >= self._due(task)]

    def _due(self, task: str) -> float:
        patience = 0.0 if task in self._alone else LATE
        return self._ended.get(task, self.began) + self.every[task] + patience


def keep_time(due: Due, run: Callable[[str], None]) -> None:
    """Begin to run what is late, on a thread of its own that ends with the process."""
    threading.Thread(target=_keep_time, args=[due, run], name="own clock", daemon=True).start()


def _keep_time(due: Due, run: Callable[[str], None]) -> None:
    while True:
        time.sleep(LOOKS_EVERY)
        for task in due.at(time.monotonic()):
            try:
                run(task)
            except Exception:
                logger.exception("%s failed, and is tried again", task)
            due.run_here(task, time.monotonic())

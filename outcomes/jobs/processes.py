"""The processes that work beside the worker: started when something waits, gone when nothing does.

The worker has one thread, and it settles. A thread of its own would share the interpreter with it,
and a worker of its own would take memory all day; these belong to the worker's process group and
end with it, however it ends: they know whose they are.
"""

import os
import subprocess
import threading
from typing import Final

from django.conf import settings

_CORES: Final = os.cpu_count() or 1


class Processes:
    """Child processes that run one command of `manage.py`, `at_most` at a time."""

    def __init__(self, command: str, at_most: int) -> None:
        self._command = command
        self._at_most = at_most
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[bytes]] = []

    def see_to_it(self, waiting: int) -> None:
        """Called again and again: starts processes as far as they are needed and not there."""
        with self._lock:
            self._running[:] = [each for each in self._running if each.poll() is None]
            while len(self._running) < min(waiting, self._at_most):
                self._running.append(self._started())

    def _started(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            child_command(self._command), stdin=subprocess.DEVNULL, cwd=settings.BASE
        )


def child_command(name: str) -> list[str]:
    """A command of `manage.py` that ends when this process does."""
    return [*settings.PROGRAM, name, "--worker", str(os.getpid())]


# PostgreSQL works on the other core itself, though not half of the time.
SETTLERS: Final = Processes("second_settler", min(_CORES - 1, 1))

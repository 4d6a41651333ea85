"""Processes beside the worker, started for a backlog and ended when it is empty.

The worker has one thread, for settling. Another thread would share its interpreter lock, and a
permanent second worker would take memory all day. These processes belong to the worker's process
group and watch its pid, so they always end with it.
"""

import os
import subprocess
import threading
from typing import Final

from django.conf import settings

_CORES: Final = os.cpu_count() or 1


class Processes:
    """Child processes for one `manage.py` command, at most `at_most` at a time."""

    def __init__(self, command: str, at_most: int) -> None:
        self._command = command
        self._at_most = at_most
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[bytes]] = []

    def see_to_it(self, waiting: int) -> None:
        """Start missing processes for this many waiting tasks. Called repeatedly."""
        with self._lock:
            self._running[:] = [each for each in self._running if each.poll() is None]
            while len(self._running) < min(waiting, self._at_most):
                self._running.append(self._started())

    def _started(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            child_command(self._command), stdin=subprocess.DEVNULL, cwd=settings.BASE
        )


def child_command(name: str) -> list[str]:
    """Command line of a `manage.py` command that ends when this process does."""
    return [*settings.PROGRAM, name, "--worker", str(os.getpid())]


# PostgreSQL uses another core, but less than half of the time.
SETTLERS: Final = Processes("second_settler", min(_CORES - 1, 1))

"""Wait for signals and other file descriptors together, without polling."""

import os
import select
import signal
from types import FrameType
from typing import Protocol

STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class HasFileno(Protocol):
    def fileno(self) -> int: ...


class Signals:
    def __init__(self) -> None:
        self._read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write)
        for number in (*STOPS, signal.SIGCHLD):
            signal.signal(number, written_by_the_system)

    def wait(self, seconds: float | None, *others: HasFileno) -> bool:
        """Wait for a signal, the timeout or one of the others. True if a stop signal arrived."""
        watched: list[int | HasFileno] = [self._read, *others]
        readable, _, _ = select.select(watched, [], [], seconds)
        if self._read not in readable:
            return False
        return not set(STOPS).isdisjoint(os.read(self._read, 512))


def written_by_the_system(number: int, frame: FrameType | None) -> None:
    """Empty handler: without one, the signal number is not written to the wakeup pipe."""

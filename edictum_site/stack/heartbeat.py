"""Heartbeat of a child: a file that it touches while it makes progress."""

import time
from pathlib import Path

TO_START = 120.0  # minimum seconds allowed until the first heartbeat


class Heartbeat:
    def __init__(self, file: Path, silence: float) -> None:
        self._file, self._silence = file, silence
        self.begin()

    def begin(self) -> None:
        """Reset, for a child that starts now."""
        self._last = self._touched()
        self._has_begun = False
        self._heard_at = time.monotonic()

    def has_stopped(self) -> bool:
        """Whether the last heartbeat is too old, by a clock that stops while the machine sleeps."""
        now, last = time.monotonic(), self._touched()
        if last != self._last:
            self._last, self._has_begun, self._heard_at = last, True, now
        allowed = self._silence if self._has_begun else max(self._silence, TO_START)
        return now - self._heard_at > allowed

    def _touched(self) -> int:
        try:
            return self._file.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

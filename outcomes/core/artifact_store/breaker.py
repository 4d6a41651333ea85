"""A pause after a failed request, so that nothing waits for a store that is away."""

import time
from threading import Lock
from typing import Final

from outcomes.core.artifact_store.faults import StoreAway

PAUSE: Final = 0.5  # seconds; doubled with each failure
LONGEST_PAUSE: Final = 30.0


class Breaker:
    """While it pauses, requests fail at once with the reason of the last one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failure: StoreAway | None = None
        self._failures = 0
        self._until = self._failed_at = float("-inf")

    def check(self) -> None:
        """Raise while it pauses."""
        failure = self._failure
        if failure is not None and time.monotonic() < self._until:
            raise StoreAway(failure.reason, is_setting=failure.is_setting)

    def begin(self) -> float:
        """The time, for a request that may be made now: after a pause, one that the others wait
        for."""
        now = time.monotonic()
        if self._failure is None:
            return now
        with self._lock:
            self.check()
            self._until = now + LONGEST_PAUSE
        return now

    def worked(self) -> None:
        self._failure, self._failures = None, 0

    def failed(self, began: float, failure: StoreAway) -> None:
        with self._lock:
            self._failure = failure
            if began < self._failed_at:
                return  # it was under way when another one failed: that is one failure
            self._failed_at = time.monotonic()
            pause = min(PAUSE * 2 ** min(self._failures, 10), LONGEST_PAUSE)
            self._failures += 1
            self._until = self._failed_at + pause

"""Circuit breaker: a pause after a failed request, so that nothing waits for a broken store."""

import time
from threading import Lock
from typing import Final

from outcomes.core.artifact_store.faults import StoreAway

PAUSE: Final = 0.5  # seconds; doubled with each failure
LONGEST_PAUSE: Final = 30.0


class Breaker:
    """Circuit breaker. While it is open, requests fail at once with the last error."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failure: StoreAway | None = None
        self._failures = 0
        self._until = self._failed_at = float("-inf")

    def check(self) -> None:
        """Raise if the breaker is open."""
        failure = self._failure
        if failure is not None and time.monotonic() < self._until:
            raise StoreAway(failure.reason, is_setting=failure.is_setting)

    def begin(self) -> float:
        """Start time of a request that may run now. After a pause, one request is a probe."""
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
                return  # started before the last failure, so it counts as the same
            self._failed_at = time.monotonic()
            pause = min(PAUSE * 2 ** min(self._failures, 10), LONGEST_PAUSE)
            self._failures += 1
            self._until = self._failed_at + pause

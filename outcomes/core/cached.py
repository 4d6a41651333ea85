"""Value computed once for all callers and cached in this process for a short time."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")
PATIENCE: Final = 3.0  # seconds


class Cached(Generic[T]):
    """Cached value. While one caller recomputes it, the others get the previous value at once.

    The value expires after `seconds`, or after `cost` times the computation time if that is longer.
    """

    def __init__(self, compute: Callable[[], T], *, seconds: float, cost: int = 0) -> None:
        self._compute, self._seconds, self._cost = compute, seconds, cost
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        self._answer: T | None = None
        self._until = self._started_at = self._answered_at = float("-inf")

    @property
    def overdue(self) -> float:
        """Seconds since the running computation started, or 0 if none is running."""
        return time.monotonic() - self._started_at if self._lock.locked() else 0.0

    def last(self, *, within: float) -> T | None:
        """Previous value, unless it is older than `within` seconds. Computes nothing."""
        return self._answer if time.monotonic() < self._answered_at + within else None

    def get(self) -> T:
        answer = self._answer
        if answer is not None and time.monotonic() < self._until:
            return answer
        # Callers with no previous value wait for the first one, but only up to PATIENCE.
        if not self._lock.acquire(timeout=0 if answer is not None else PATIENCE):
            if answer is None:
                raise TimeoutError("No value has been computed yet.")
            return answer
        try:
            if self._answer is None or time.monotonic() >= self._until:
                self._started_at = began = time.monotonic()
                self._answer = self._compute()
                now = time.monotonic()
                self._answered_at = now
                self._until = now + max(self._seconds, self._cost * (now - began))
            return self._answer
        finally:
            self._lock.release()

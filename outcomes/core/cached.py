"""A value computed once for all callers within a moment, cached in this process."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")
PATIENCE: Final = 3.0  # seconds


class Cached(Generic[T]):
    """While one caller recomputes the value, the others get the last one without waiting.

    It is cached for so many seconds, or `cost` times as long as computing it took.
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
        """Seconds since a computation started that is still running."""
        return time.monotonic() - self._started_at if self._lock.locked() else 0.0

    def last(self, *, within: float) -> T | None:
        """The last value, unless it is older than so many seconds. Computes nothing."""
        return self._answer if time.monotonic() < self._answered_at + within else None

    def get(self) -> T:
        answer = self._answer
        if answer is not None and time.monotonic() < self._until:
            return answer
        # Without any value yet the others wait for the first one, but not for ever.
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

"""One answer for all who ask within a moment, kept in this process."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")
PATIENCE: Final = 3.0  # seconds


class Cached(Generic[T]):
    """While it is asked anew, all but the one who asks get the last answer, and wait for nobody.

    It is kept for so many seconds, or `cost` times as long as it took.
    """

    def __init__(self, ask: Callable[[], T], *, seconds: float, cost: int = 0) -> None:
        self._ask, self._seconds, self._cost = ask, seconds, cost
        self._asking = Lock()
        self.forget()

    def forget(self) -> None:
        self._answer: T | None = None
        self._until = self._asked_at = self._answered_at = float("-inf")

    @property
    def overdue(self) -> float:
        """How many seconds somebody has been asking anew, in vain so far."""
        return time.monotonic() - self._asked_at if self._asking.locked() else 0.0

    def last(self, *, within: float) -> T | None:
        """The last answer, unless it is older than so many seconds; nothing is asked."""
        return self._answer if time.monotonic() < self._answered_at + within else None

    def get(self) -> T:
        answer = self._answer
        if answer is not None and time.monotonic() < self._until:
            return answer
        # Only where there is no answer yet the others wait for it, and not for ever.
        if not self._asking.acquire(timeout=0 if answer is not None else PATIENCE):
            if answer is None:
                raise TimeoutError("There is no answer yet.")
            return answer
        try:
            if self._answer is None or time.monotonic() >= self._until:
                self._asked_at = began = time.monotonic()
                self._answer = self._ask()
                now = time.monotonic()
                self._answered_at = now
                self._until = now + max(self._seconds, self._cost * (now - began))
            return self._answer
        finally:
            self._asking.release()

"""Stops a call that exceeds its budget without ending the process.

Python's regex engine checks for signals while it backtracks, so even a hopeless pattern can be
interrupted. If something can't be, the server still kills the process at its own deadline.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """A call takes too long. Not an Exception, which the library would treat as a failing rule."""


class BudgetSpent(BaseException):
    """The budget of a whole question is spent, wherever in it the process is."""


class Patience:
    """CPU time limit for a block of code, independent of other load."""

    def __init__(self, timer: int, number: signal.Signals, error: type[BaseException]) -> None:
        self._timer, self._error = timer, error
        self._waits = False
        signal.signal(number, self._end)

    def begin(self, seconds: float) -> None:
        self._waits = True
        signal.setitimer(self._timer, max(seconds, 1e-6))

    def end(self) -> None:
        self._waits = False  # cleared first: the signal may be on its way
        signal.setitimer(self._timer, 0)

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        self.begin(seconds)
        try:
            yield
        finally:
            self.end()

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._waits:
            self._waits = False
            raise self._error


# PATIENCE is for one call or one trial text, BUDGET for a whole document. They use different timers
# so that they can be nested.
PATIENCE = Patience(signal.ITIMER_VIRTUAL, signal.SIGVTALRM, TooLong)
BUDGET = Patience(signal.ITIMER_PROF, signal.SIGPROF, BudgetSpent)

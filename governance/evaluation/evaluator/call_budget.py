"""An end to a call that costs too much, without an end to the process.

The regex engine of Python looks for signals while it backtracks, so that even a hopeless pattern is
left. Should something not be left, the server still kills the process at its own deadline.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """No Exception: the library takes each of those for the failure of a rule, and goes on."""


class BudgetSpent(BaseException):
    """All that a question may cost is used up, wherever in it the process is."""


class Patience:
    """Budget of processor time of this process, independent of other load."""

    def __init__(self, timer: int, number: signal.Signals, error: type[BaseException]) -> None:
        self._timer, self._error = timer, error
        self._waits = False
        signal.signal(number, self._end)

    def begin(self, seconds: float) -> None:
        self._waits = True
        signal.setitimer(self._timer, max(seconds, 1e-6))

    def end(self) -> None:
        self._waits = False  # first: the signal may be on its way
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


# Of one call or one text that is tried, and of all that is done for a document: on different
# timers, so that the one runs inside the other.
PATIENCE = Patience(signal.ITIMER_VIRTUAL, signal.SIGVTALRM, TooLong)
BUDGET = Patience(signal.ITIMER_PROF, signal.SIGPROF, BudgetSpent)

"""An end to a call that costs too much, without an end to the process.

The regex engine of Python looks for signals while it backtracks, so that even a hopeless pattern is
left. Should something not be left, the server still kills the process at its own deadline.
"""

import signal
from types import FrameType


class TooLong(BaseException):
    """No Exception: the library takes each of those for the failure of a rule, and goes on."""


class Patience:
    """Counts the processor's time of this process: a busy machine takes nobody's call away."""

    def __init__(self) -> None:
        self._waits = False
        signal.signal(signal.SIGVTALRM, self._end)

    def begin(self, seconds: float) -> None:
        self._waits = True
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    def end(self) -> None:
        self._waits = False  # first: the signal may be on its way
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._waits:
            self._waits = False
            raise TooLong


PATIENCE = Patience()

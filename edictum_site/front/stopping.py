"""Notify the front that the server was asked to stop, while requests are still open."""

import asyncio
import signal
import threading
from types import FrameType


class Stopping:
    """Notification of a requested stop. The server announces its shutdown only after all responses
    have ended, so waiting requests would never see it. This wraps its signal handlers instead.
    """

    def __init__(self) -> None:
        self.requested: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._wrap(number)

    def _wrap(self, number: signal.Signals) -> None:
        previous = signal.getsignal(number)

        def stop(number: int, frame: FrameType | None) -> None:
            self.requested.get_loop().call_soon_threadsafe(self._ask)
            if callable(previous):
                previous(number, frame)

        signal.signal(number, stop)

    def _ask(self) -> None:
        if not self.requested.done():
            self.requested.set_result(None)

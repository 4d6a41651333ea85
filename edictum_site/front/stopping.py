"""Tells the front that the server is asked to stop, while requests are still open."""

import asyncio
import signal
import threading
from types import FrameType


class Stopping:
    """The server waits for open responses before it tells of its end, so those that wait for
    something themselves would never hear of it. The handlers it has installed are wrapped.
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

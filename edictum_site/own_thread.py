"""A thread with a connection of its own: what waits for the database must not hold up the loop."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

from django.db import connection

from outcomes.models.faults import end_session_if_read_only
from outcomes.models.statements import Steps, carry_out

Told = TypeVar("Told")
Work: TypeAlias = tuple[asyncio.Future[Any], Callable[[], Any]]


class OwnThread:
    def __init__(self, name: str) -> None:
        self._name = name
        self._queue: SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]] | None] = (
            SimpleQueue()
        )
        self._thread: threading.Thread | None = None

    async def carry_out(self, steps: Steps[Told]) -> Told:
        return await self.call(lambda: carry_out(steps))

    async def call(self, work: Callable[[], Told]) -> Told:
        """Whatever else is to be waited for beside the loop."""
        done: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._queue.put((done, work))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return await done

    async def stop(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(1.0)

    def _work(self) -> None:
        while (asked := self._queue.get()) is not None:
            done, work = asked
            try:
                tell: Callable[[], None] = partial(_tell, done, work())
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                tell = partial(_fail, done, error)
                connection.close_if_unusable_or_obsolete()
                end_session_if_read_only(error)
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                done.get_loop().call_soon_threadsafe(tell)
        connection.close()


def _tell(done: asyncio.Future[Told], told: Told) -> None:
    if not done.cancelled():
        done.set_result(told)


def _fail(done: asyncio.Future[Any], error: BaseException) -> None:
    if not done.cancelled():
        done.set_exception(error)

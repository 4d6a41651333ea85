"""Work of many requests that is done at once, on one thread with one connection to the database.

Whatever is asked for while the thread is at work makes up its next turn, so what a turn costs
(a hop to the thread, a statement, a commit) is shared by all who came meanwhile.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Generic, TypeVar

from django.db import connection

AT_ONCE = 256

Asked = TypeVar("Asked")
Told = TypeVar("Told")


class Together(Generic[Asked, Told]):
    """`work` tells each of those who asked its own, in their order."""

    def __init__(self, name: str, work: Callable[[list[Asked]], Sequence[Told]]) -> None:
        self._name = name
        self._do = work
        self._queue: SimpleQueue[tuple[asyncio.Future[Told], Asked] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def ask(self, asked: Asked) -> Told:
        done: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._queue.put((done, asked))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return await done

    def stop(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(1.0)

    def _work(self) -> None:
        while waiting := self._next():
            dones = [done for done, _ in waiting]
            try:
                told = self._do([asked for _, asked in waiting])
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                outcome: Callable[[], None] = partial(_fail, dones, error)
                connection.close_if_unusable_or_obsolete()
            else:
                outcome = partial(_tell, dones, told)
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                dones[0].get_loop().call_soon_threadsafe(outcome)
        connection.close()

    def _next(self) -> list[tuple[asyncio.Future[Told], Asked]]:
        first = self._queue.get()
        if first is None:
            return []
        waiting = [first]
        while len(waiting) < AT_ONCE and not self._queue.empty():
            more = self._queue.get()
            if more is None:
                self._queue.put(None)
                break
            waiting.append(more)
        return waiting


def _tell(dones: Sequence[asyncio.Future[Told]], told: Sequence[Told]) -> None:
    for done, each in zip(dones, told, strict=True):
        if not done.cancelled():
            done.set_result(each)


def _fail(dones: Sequence[asyncio.Future[Told]], error: BaseException) -> None:
    for done in dones:
        if not done.cancelled():
            done.set_exception(error)

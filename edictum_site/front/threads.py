"""Fixed pool of threads next to the event loop, with less overhead per job than an executor.

The fixed number of threads provides back-pressure and bounds database connections.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar, TypeVarTuple

Result = TypeVar("Result")
Values = TypeVarTuple("Values")

RECENTLY = 0.1  # seconds: requests often come in bursts

Job = tuple[asyncio.Future[Any], Callable[..., Any], tuple[Any, ...]]


class Threads:
    """Pool of threads. `release` frees a thread's resources when it ends and, with `idle_seconds`,
    after it has been idle for that time."""

    def __init__(
        self,
        count: int,
        name: str,
        *,
        release: Callable[[], None] | None = None,
        idle_seconds: float | None = None,
    ) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._release = release
        self._idle_seconds = idle_seconds
        self._working = [False] * count
        self._worked_at = float("-inf")
        self._threads = [
            # Daemon threads, so that a hanging thread doesn't block process exit.
            Thread(target=self._work, args=[number], name=f"{name}-{number}", daemon=True)
            for number in range(count)
        ]

    def is_busy(self) -> bool:
        """Whether jobs are running or ran very recently."""
        if any(self._working) or not self._jobs.empty():
            return True
        return time.monotonic() < self._worked_at + RECENTLY

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, *, seconds_each: float = 1.0) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(seconds_each)

    async def run(self, work: Callable[[*Values], Result], *values: *Values) -> Result:
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._jobs.put((done, work, values))
        return await done

    def _work(self, number: int) -> None:
        job = self._jobs.get()
        while job:
            done, work, values = job
            self._working[number] = True
            try:
                result = work(*values)
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                settle_on_loop(done, partial(done.set_exception, error))
            else:
                settle_on_loop(done, partial(done.set_result, result))
            self._working[number], self._worked_at = False, time.monotonic()
            job = self._next_job()
        if self._release:
            self._release()

    def _next_job(self) -> Job | None:
        if self._release and self._idle_seconds is not None:
            with suppress(Empty):
                return self._jobs.get(timeout=self._idle_seconds)
            self._release()
        return self._jobs.get()


def settle_on_loop(done: asyncio.Future[Any], settle: Callable[[], None]) -> None:
    def settle_unless_given_up() -> None:
        if not done.cancelled():
            settle()

    with suppress(RuntimeError):  # the loop has ended, so no caller waits
        done.get_loop().call_soon_threadsafe(settle_unless_given_up)

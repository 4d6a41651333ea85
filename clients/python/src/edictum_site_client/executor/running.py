"""Runs one tool under a deadline: coroutines in the event loop, anything else in a thread.

Neither can be forced to end. At the deadline a coroutine is cancelled and a thread is abandoned;
any later result is dropped.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from edictum_site_client.recording import inside


@dataclass(frozen=True)
class Returned:
    value: Any


@dataclass(frozen=True)
class Raised:
    error: BaseException

    @property
    def ends_the_process(self) -> bool:
        """True for an interrupt or process exit; any other exception is a failure of the tool."""
        return isinstance(self.error, (KeyboardInterrupt, SystemExit))


@dataclass(frozen=True)
class Expired:
    """The tool exceeded its deadline."""


Ending = Returned | Raised | Expired

_ABANDONED: set[asyncio.Future[Any]] = set()  # the event loop holds tasks only weakly


class Run:
    """One execution of a tool. The first ending from any thread counts."""

    def __init__(
        self, call_id: str, function: Callable[..., Any], arguments: Mapping[str, Any]
    ) -> None:
        self._call_id = call_id
        self._function = function
        self._arguments = arguments
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._ended = self._began
        self.ending: Ending | None = None

    @property
    def elapsed_ms(self) -> float:
        ended = time.monotonic() if self.ending is None else self._ended
        return (ended - self._began) * 1_000

    async def within(self, seconds: float) -> Ending:
        """Run the tool until it ends or the deadline expires.

        Cancelling this cancels a coroutine; `ending` is already set if the tool ended before that.
        """
        if inspect.iscoroutinefunction(self._function):
            return await self._until(self._in_the_loop(), seconds)
        ending = await self._until(self._in_a_thread(), seconds)
        if isinstance(ending, Returned) and inspect.isawaitable(ending.value):
            left = max(0.0, seconds - self.elapsed_ms / 1_000)
            self.ending = None
            return await self._until(self._awaiting(ending.value), left)
        return ending

    async def _until(self, running: asyncio.Future[Any], seconds: float) -> Ending:
        _ABANDONED.add(running)
        running.add_done_callback(_ABANDONED.discard)
        try:
            await asyncio.wait({running}, timeout=seconds)
        finally:
            running.cancel()  # no effect if it has ended
        return self._end(Expired())

    def _in_the_loop(self) -> asyncio.Future[Any]:
        async def call() -> Any:
            return await self._function(**self._arguments)

        return self._awaiting(call())

    def _awaiting(self, awaitable: Awaitable[Any]) -> asyncio.Future[Any]:
        async def wait() -> None:
            with inside(self._call_id):
                try:
                    self._end(Returned(await awaitable))
                except BaseException as error:  # noqa: BLE001 - it is raised again by the executor
                    self._end(Raised(error))

        return asyncio.ensure_future(wait())

    def _in_a_thread(self) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()

        def settle() -> None:
            if not done.done():
                done.set_result(None)

        def work() -> None:
            context.run(self._call)
            with suppress(RuntimeError):  # the loop has closed, long after the deadline
                loop.call_soon_threadsafe(settle)

        try:
            threading.Thread(target=work, name=f"tool {self._call_id}", daemon=True).start()
        except RuntimeError as error:  # no more threads
            self._end(Raised(error))
            settle()
        return done

    def _call(self) -> None:
        with inside(self._call_id):
            try:
                ending: Ending = Returned(self._function(**self._arguments))
            except BaseException as error:  # noqa: BLE001 - it is raised again by the executor
                ending = Raised(error)
        if self._end(ending) is not ending and isinstance(ending, Returned):
            close = getattr(ending.value, "close", None)
            if inspect.iscoroutine(ending.value) and close is not None:
                close()

    def _end(self, ending: Ending) -> Ending:
        with self._lock:
            if self.ending is None:
                self.ending, self._ended = ending, time.monotonic()
            return self.ending

"""Event loop in a background thread, for agents that have none.

It runs until the process exits, so tools can keep connections open between calls, and a coroutine
that ignores its cancellation does not block other calls.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")

AT_EXIT = 1.0  # seconds for the loop to end

_lock = threading.Lock()
_made: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def run_sync(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in the caller's context and return its result; raises its errors."""
    ended = threading.Event()

    async def boxed() -> tuple[Result | None, BaseException | None]:
        try:
            return await coroutine, None
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            return None, error
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(boxed(), _loop())
    try:
        result, error = future.result()
    except BaseException:  # the waiting thread was interrupted
        future.cancel()
        ended.wait(AT_EXIT)
        raise
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # without an error there is a result


def _loop() -> asyncio.AbstractEventLoop:
    global _made
    with _lock:
        if _made is None or _made[0] != os.getpid():  # threads don't survive a fork
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_serve, args=(loop,), name="tools", daemon=True)
            thread.start()
            _made = os.getpid(), loop, thread
        return _made[1]


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        try:
            loop.run_forever()
        except BaseException:  # noqa: BLE001, S112 - `SystemExit` of a task: its caller has it too
            continue
        return


def _end() -> None:
    if _made is None or _made[0] != os.getpid():
        return
    _, loop, thread = _made
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(loop.stop)
        thread.join(AT_EXIT)
        loop.close()


atexit.register(_end)

"""An event loop in a thread of its own, for agents that have none.

It lasts as long as the process: what tools keep open in it stays usable from call to call, and a
coroutine that ignores its cancellation holds up nobody.
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
    """Result of the coroutine, run in the context of the caller; raises its errors."""
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
    except BaseException:  # an interrupt of the thread that waits here
        future.cancel()
        ended.wait(AT_EXIT)
        raise
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # without an error there is a result


def _loop() -> asyncio.AbstractEventLoop:
    global _made
    with _lock:
        if _made is None or _made[0] != os.getpid():  # a fork has no thread
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

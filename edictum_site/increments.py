"""Counting up for agents, many at once: the one request that must cost next to nothing.

An agent counts three times per governed call and waits each time. What takes long is not the
counting: it is to hand a request to a thread, and the commit. So whatever arrives while one commit
is under way shares the next. What is not plain (a key not seen within the last second, an amount
or a name that would be refused) goes the long way, through Django, and is answered there.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any
from urllib.parse import unquote_to_bytes

from django.db import DataError, IntegrityError, connection

from edictum_site.front.bodies import ClientGone, Receive
from edictum_site.front.environ import Scope
from edictum_site.front.replies import FAILED, Reply, refusal
from edictum_site.front.sending import Client, Send
from governance.auth import AGENT_HEADER, Access, kept_access
from governance.domain import api_keys
from outcomes.commands import Increment, count_all_up
from outcomes.domain.stored_key import LARGEST_NUMBER
from outcomes.wire import BodyRefused
from outcomes.wire.session_store import read_amount, read_key

log = logging.getLogger(__name__)

PREFIXES = (b"/v1/sessions/", b"/api/v1/sessions/")
SUFFIX = b"/increment"
LARGEST_BODY = 1_000  # bytes
AT_ONCE = 256
PATIENCE = 60.0  # seconds in which a body must have come
HEAD = [(b"content-type", b"application/json"), (b"x-content-type-options", b"nosniff")]
_AGENT = AGENT_HEADER.lower().encode()

Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Waiting = tuple["asyncio.Future[int | None]", Increment]


class Increments:
    """The ASGI application before the front; what is not for it, it passes on untouched."""

    def __init__(self, front: Application) -> None:
        self._front = front
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        access = _access_of(scope) if _is_plain(scope) else None
        if access is None:
            await self._front(scope, receive, send)
            if scope["type"] == "lifespan":
                self._stop()
            return
        first = await _first_of(receive)
        increment = _increment_of(scope, first, access)
        reply = await self._answer(increment) if increment else None
        if reply is None:
            await self._front(scope, _again(first, receive), send)
            return
        client = Client(receive, send)
        with suppress(ClientGone):
            await client.start(reply)
            if isinstance(reply.content, bytes):
                await client.finish(reply.content)

    async def _answer(self, increment: Increment) -> Reply | None:
        done: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._queue.put((done, increment))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="increments", daemon=True)
            self._thread.start()
        try:
            counted = await done
        except Exception:
            log.exception("A counter could not be counted up")
            return refusal(500, "internal_error", FAILED)
        if counted is None:
            return None
        content = b'{"value":%d}' % counted
        return Reply(200, [*HEAD, (b"content-length", b"%d" % len(content))], content)

    def _work(self) -> None:
        while waiting := self._next():
            try:
                counted = _count([increment for _, increment in waiting])
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                outcome: Callable[[], None] = partial(_fail, waiting, error)
                connection.close_if_unusable_or_obsolete()
            else:
                outcome = partial(_tell, waiting, counted)
            with suppress(RuntimeError):  # the loop has ended: nobody waits any more
                waiting[0][0].get_loop().call_soon_threadsafe(outcome)
        connection.close()

    def _next(self) -> list[Waiting]:
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

    def _stop(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(1.0)


def _count(wanted: list[Increment]) -> list[int | None]:
    try:
        return count_all_up(wanted)
    except (DataError, IntegrityError):
        # Nothing was counted; asked one by one, the one whose fault it is will be told.
        return [None] * len(wanted)


def _tell(waiting: list[Waiting], counted: list[int | None]) -> None:
    for (done, _), number in zip(waiting, counted, strict=True):
        if not done.cancelled():
            done.set_result(number)


def _fail(waiting: list[Waiting], error: BaseException) -> None:
    for done, _ in waiting:
        if not done.cancelled():
            done.set_exception(error)


def _is_plain(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "POST":
        return False
    path: bytes = scope["raw_path"]
    return path.endswith(SUFFIX) and path.startswith(PREFIXES)


def _access_of(scope: Scope) -> Access | None:
    """What the sender may do, if it is known to be allowed this and the body is short."""
    said: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in said:
            return None
        said[name] = value
    if not 0 < int(said.get(b"content-length", 0)) <= LARGEST_BODY:
        return None
    access = kept_access(said.get(b"authorization", b"").decode("latin-1"))
    if access is None or api_keys.Scope.AGENT not in access.scopes:
        return None
    return access if access.admits_agent(said.get(_AGENT, b"").decode("latin-1")) else None


async def _first_of(receive: Receive) -> dict[str, Any] | None:
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            return await receive()
    return None


def _increment_of(scope: Scope, first: dict[str, Any] | None, access: Access) -> Increment | None:
    if first is None or first["type"] != "http.request" or first["more_body"]:
        return None
    path: bytes = scope["raw_path"]
    start = path.index(PREFIXES[0]) + len(PREFIXES[0])
    try:
        key = read_key(unquote_to_bytes(path[start : -len(SUFFIX)]).decode())
        amount = read_amount(first["body"])
    except (BodyRefused, UnicodeDecodeError):
        return None
    if not key or not isinstance(amount, int) or not 0 < amount <= LARGEST_NUMBER:
        return None
    return Increment(key, amount, access)


def _again(first: dict[str, Any] | None, receive: Receive) -> Receive:
    """What was read of a body already, then the rest of it."""
    left = [] if first is None else [first]

    async def read() -> dict[str, Any]:
        return left.pop() if left else await receive()

    return read

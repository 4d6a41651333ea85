"""Streams of contract documents, served by the front for requests that the API admitted."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from django.db import close_old_connections

from edictum_site.front.replies import Reply, refusal
from edictum_site.front.sending import Client
from edictum_site.front.streams import STREAM_HEAD
from edictum_site.front.threads import Threads
from governance.delivery.api.stream import REQUEST
from governance.delivery.commands.streams import resolve_targets
from governance.delivery.news import Place
from governance.delivery.queries.streams import StreamRequest, Target
from governance.delivery.stream.events import WELCOME
from governance.delivery.stream.hub import Hub, Stopped, run_forever
from governance.delivery.stream.presence import Presence
from governance.delivery.stream.stream import Stream
from governance.delivery.stream.subscription import Listening
from governance.people.queries.keys import live_among

PIECE = 64 * 1024  # bytes of a message that may be buffered for a slow reader

Result = TypeVar("Result")


class Database:
    """Queries, run on the front's threads, which discard broken connections before and after."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def resolve_targets(
        self, place: Place, requests: Sequence[StreamRequest]
    ) -> list[Target | None]:
        return await self._threads.run(fresh, lambda: resolve_targets(place, requests))

    async def live_keys(self, key_ids: Iterable[int]) -> frozenset[int]:
        return await self._threads.run(fresh, lambda: live_among(key_ids))


def fresh(question: Callable[[], Result]) -> Result:
    close_old_connections()
    try:
        return question()
    finally:
        close_old_connections()


class DocumentStreams:
    """All open streams. `broker` is the URL of Redis; without it, changes are found by polling."""

    def __init__(self, broker: str) -> None:
        self._broker = broker
        self._presence: Presence | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, threads: Threads) -> None:
        self._hub = Hub(Database(threads))
        work = self._hub.run()
        if self._broker:
            self._presence = Presence(self._broker, self._hub)
            work.append(Listening(self._broker, self._hub.news).keep_listening)
            work.append(self._presence.keep_telling)
        self._tasks = [asyncio.create_task(run_forever(each)) for each in work]

    @property
    def open(self) -> int:
        """Number of open streams. Call it after `start`."""
        return self._hub.open

    def stop(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        self._hub.stop()
        if tasks and self._presence is not None:
            self._last = asyncio.create_task(self._presence.close())

    async def serve(self, memory: dict[str, Any], client: Client) -> Reply | None:
        gone = client.gone()
        try:
            stream = await self._hub.join(memory[REQUEST], client.cut)
        except Stopped:
            return refusal(503, "stopping", "The server is stopping.", last=True)
        except Exception:  # noqa: BLE001 - logged where all who asked at once were refused
            return refusal(
                503,
                "unavailable",
                "The contract for this agent can't be determined right now. Try again.",
            )
        if stream is None:
            return refusal(404, "not_found", "This agent has no such contract.")
        gone.add_done_callback(lambda _: stream.close())
        try:
            await self._send(stream, client)
        finally:
            self._hub.leave(stream)
        # Abort the connection: after a response that ends normally, agents reconnect at once, in a
        # loop.
        client.cut()
        await asyncio.wait({gone}, timeout=1)
        return None

    async def _send(self, stream: Stream, client: Client) -> None:
        await client.start(Reply(200, STREAM_HEAD, b""))
        message = WELCOME
        with suppress(TimeoutError):  # the client has stopped reading
            while message:
                for place in range(0, len(message), PIECE):
                    if not await client.push(message[place : place + PIECE]):
                        return
                message = await stream.next()

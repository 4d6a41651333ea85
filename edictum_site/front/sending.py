"""Send replies from the event loop. Threads read files and generate exports."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any

from edictum_site.front.bodies import ClientGone, Receive
from edictum_site.front.replies import FileContent, Generated, Readable, Reply
from edictum_site.front.threads import Threads

PIECE = 256 * 1024
TURN, MOMENT = 0.5, 0.1  # seconds: of an export on a thread; of its wait for a piece to be sent
WORK, LONGEST_REST = 0.005, 0.5  # seconds an export works before a pause, and the longest pause
REST = 9  # length of a pause, in multiples of the time worked
POLL = 0.005  # seconds between checks whether the pause is over
STALLED = 60.0  # seconds after which a client that reads nothing is dropped
LINGER = 5.0  # seconds for a refused client to finish sending and read the response
LINGER_BYTES = 64 * 1024 * 1024
# uvloop's error text for a broken connection. If the client has already sent its next request, the
# server reports the disconnect only to that one.
CLOSED = "the handler is closed"

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Client:
    """The client side of one request."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.receive = receive
        self._send = send
        self._gone: asyncio.Task[None] | None = None

    def gone(self) -> asyncio.Task[None]:
        """Task that ends when the connection does. Call it only after the body has been read."""
        if self._gone is None:
            self._gone = asyncio.create_task(self._watch())
        return self._gone

    def leave(self) -> None:
        if self._gone is not None:
            self._gone.cancel()

    def cut(self) -> None:
        """Close the connection at once, in mid-response and without flushing.

        ASGI has no message for this, so the server's transport is aborted if it is accessible.
        Otherwise the connection ends with the response.
        """
        transport = getattr(getattr(self._send, "__self__", None), "transport", None)
        if transport is not None:
            transport.abort()

    async def start(self, reply: Reply) -> None:
        await self._say(
            {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
        )

    async def push(self, piece: bytes) -> bool:
        """Send a piece. False if the client is gone, which the server itself doesn't report."""
        if not self.gone().done():
            async with asyncio.timeout(STALLED):
                await self.part(piece)
        return not self.gone().done()

    async def part(self, piece: bytes) -> None:
        await self._say({"type": "http.response.body", "body": piece, "more_body": True})

    async def finish(self, content: bytes = b"") -> None:
        await self._say({"type": "http.response.body", "body": content, "more_body": False})

    async def _say(self, message: dict[str, Any]) -> None:
        try:
            await self._send(message)
        except RuntimeError as error:
            if CLOSED in str(error):
                raise ClientGone from error
            raise

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass


class Sender:
    """Sends replies. Exports yield to requests that run on the threads in `first`."""

    def __init__(
        self, files: Threads, exports: Threads, release: Callable[[], None], *, first: Threads
    ) -> None:
        self._files = files
        self._first = first
        self._exports = exports
        self._release = release

    async def send(self, reply: Reply, client: Client, *, only_head: bool) -> None:
        match reply.content:
            case bytes(content):
                await client.start(reply)
                await client.finish(content)
            case FileContent(file):
                await self._send_file(reply, file, client, only_head=only_head)
            case Generated() as content:
                await self._send_generated(reply, content, client, only_head=only_head)

    async def refuse(self, reply: Reply, client: Client) -> None:
        """Answer a request whose body was not read, so that the client can read the answer."""
        await client.start(reply)
        if isinstance(reply.content, bytes):
            await client.part(reply.content)
        left = LINGER_BYTES
        # Closing a connection with unread bytes resets it, and the answer would be lost.
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while left > 0:
                    message = await client.receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body"):
                        break
        await client.finish()

    async def _send_file(
        self, reply: Reply, file: Readable, client: Client, *, only_head: bool
    ) -> None:
        try:
            await client.start(reply)
            left = reply.length
            while not only_head and left != 0:
                piece = await self._files.run(
                    file.read, PIECE if left is None else min(PIECE, left)
                )
                if not piece or not await client.push(piece):
                    break
                left = left and left - len(piece)
            await client.finish()
        finally:
            await self._files.run(file.close)

    async def _send_generated(
        self, reply: Reply, content: Generated, client: Client, *, only_head: bool
    ) -> None:
        pieces = [] if only_head else yielding_to_requests(content.pieces, self._first.is_busy)
        making = Making(pieces, client)
        client.gone()
        try:
            await client.start(reply)
            while (sent := await self._exports.run(self._make, making)) is not None:
                if not await asyncio.wrap_future(sent):
                    break
        finally:
            await self._exports.run(content.close)
        await client.finish()

    def _make(self, making: "Making") -> Future[bool] | None:
        try:
            return making.go_on()
        except BaseException:
            self._release()  # its connection may be broken
            raise


class Making:
    """A running export. It uses a thread for short turns, so that slow readers hold no thread and
    other exports don't wait long. Pieces must therefore not depend on a thread: lists are read page
    by page, not with a database cursor."""

    def __init__(self, pieces: Iterable[bytes], client: Client) -> None:
        self._pieces = gathered(pieces)
        self._client = client
        self._loop = asyncio.get_running_loop()

    def go_on(self) -> Future[bool] | None:
        """Generate pieces on this thread for one turn. Returns a future to await before the next
        turn, or None if the export is complete or the client has left."""
        end = time.monotonic() + TURN
        for piece in self._pieces:
            sent = asyncio.run_coroutine_threadsafe(self._client.push(piece), self._loop)
            wait((sent,), timeout=MOMENT)
            if not sent.done() or time.monotonic() > end:
                return sent
            if not sent.result():
                return None
        return None


def yielding_to_requests(pieces: Iterable[bytes], is_busy: Callable[[], bool]) -> Iterator[bytes]:
    """Pieces, generated with pauses. As computing slows down concurrent requests, this pauses after
    a few milliseconds of work until no request has run for a moment, for a limited time."""
    worked, ends = 0.0, object()
    making = iter(pieces)
    while True:
        began = time.perf_counter()
        piece = next(making, ends)
        now = time.perf_counter()
        if not isinstance(piece, bytes):
            return
        worked += now - began
        if worked >= WORK:
            until = now + min(REST * worked, LONGEST_REST)
            while is_busy() and time.perf_counter() < until:
                time.sleep(POLL)
            worked = 0.0
        yield piece


def gathered(
    pieces: Iterable[bytes], *, size: int = 65536, seconds: float = 0.05
) -> Iterator[bytes]:
    """Pieces joined into larger ones by size and time, as rows are small and each hop to the event
    loop costs time."""
    held: list[bytes] = []
    since = time.monotonic()
    for piece in pieces:
        held.append(piece)
        if sum(map(len, held)) >= size or time.monotonic() - since >= seconds:
            yield b"".join(held)
            held, since = [], time.monotonic()
    if held:
        yield b"".join(held)

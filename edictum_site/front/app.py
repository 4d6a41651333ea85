"""ASGI application that converts requests to WSGI, runs them on threads and sends the replies."""

import asyncio
import io
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication, WSGIEnvironment

from edictum_site.front.bodies import Bodies, Body, BodyRefused, ClientGone, Receive
from edictum_site.front.environ import Scope, environ_of
from edictum_site.front.places import Busy, Places, SlowRequests
from edictum_site.front.quick import QuickAnswers
from edictum_site.front.replies import (
    FAILED,
    Generated,
    Reply,
    Streamed,
    answer,
    broken,
    busy,
    refusal,
)
from edictum_site.front.sending import Client, Send, Sender
from edictum_site.front.stopping import Stopping
from edictum_site.front.streams import STREAM_HEAD, Streams
from edictum_site.front.threads import Threads

log = logging.getLogger(__name__)

PATIENCE = 5.0  # seconds that a slow request waits for a slot
LINE, OWN_LINE = 64, 16  # slow requests that may wait, in total and per actor
EXPORTS, OWN_EXPORTS = 64, 4  # exports that may run, in total and per actor
IDLE = 1.0  # seconds without an export until its threads release their resources
Observe = Callable[[str, str, int, float], None]

WAITING = 32  # requests that wait for an event, each on its own thread


class Front:
    """`may_upload` returns a sender's upload limit in bytes; 0 refuses unauthenticated senders.

    `release` frees the database connections of a thread. `streams` serves requests that the
    application admits to a stream. `slow` requests get at most half of the threads, and one per
    actor. Requests answered by `quick` need no thread. `observe` receives method, path, status and
    seconds of each response, without the time to send it.
    """

    def __init__(
        self,
        application: WSGIApplication,
        *,
        folder: Path,
        may_upload: Callable[[WSGIEnvironment], int],
        release: Callable[[], None],
        streams: Streams | None = None,
        slow: SlowRequests | None = None,
        quick: QuickAnswers | None = None,
        observe: Observe | None = None,
        threads: int = 4,
    ) -> None:
        self._application = application
        self._streams = streams
        self._quick = quick
        self._observe = observe
        self._may_upload = may_upload
        self._threads = Threads(threads, "django", release=release)
        self._disk = Threads(2, "disk")
        self._files = Threads(4, "file")  # separate, as the artifact store may be slow
        # Exports run in many short turns. Connecting for each turn delayed other requests.
        self._exports = Threads(2, "export", release=release, idle_seconds=IDLE)
        self._slow = slow
        self._places = Places(
            max(1, threads // 2), per_actor=1, patience=PATIENCE, line=LINE, own_line=OWN_LINE
        )
        self._waiting = ThreadPoolExecutor(WAITING, "waiting")
        self._waiting_places = Places(
            WAITING, per_actor=WAITING, patience=PATIENCE, line=LINE, own_line=LINE
        )
        self._sent_exports = Places(EXPORTS, per_actor=OWN_EXPORTS)
        self._release = release
        self._bodies = Bodies(folder, self._disk)
        self._sender = Sender(self._files, self._exports, release, first=self._threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            client = Client(receive, send)
            try:
                with suppress(ClientGone):
                    await self._serve(scope, client)
            finally:
                client.leave()

    async def _serve(self, scope: Scope, client: Client) -> None:
        environ = environ_of(scope)
        began = time.monotonic()
        try:
            body = await self._bodies.read(scope, client.receive, partial(self._allowed, environ))
        except BodyRefused as refused:
            self._note(scope, refused.status, began)
            again = 1 if refused.status == 503 else 0
            reply = refusal(refused.status, refused.code, refused.detail, last=True, again=again)
            await self._sender.refuse(reply, client)
            return
        environ["CONTENT_LENGTH"] = str(body.size)
        began = time.monotonic()  # excludes the time to receive the body
        try:
            answered = await self._answer_quickly(scope, body) or await self._answer_in_place(
                environ, body, client
            )
        finally:
            self._bodies.release(body)
        self._note(scope, 200 if isinstance(answered, Streamed) else answered.status, began)
        if isinstance(answered, Streamed) and scope["method"] == "HEAD":
            answered = Reply(200, list(STREAM_HEAD), b"")
        if isinstance(answered, Streamed):
            memory = environ["edictum.memory"]
            del environ, body  # thousands of streams stay open for days
            no_stream = await self._stream(memory, client)
            if no_stream is not None:
                await self._sender.send(no_stream, client, only_head=False)
            return
        await self._send(environ, answered, client)

    def _note(self, scope: Scope, status: int, began: float) -> None:
        if self._observe is not None:
            self._observe(scope["method"], scope["path"], status, time.monotonic() - began)

    async def _send(self, environ: WSGIEnvironment, reply: Reply, client: Client) -> None:
        only_head = environ["REQUEST_METHOD"] == "HEAD"
        if not isinstance(reply.content, Generated):
            await self._sender.send(reply, client, only_head=only_head)
            return
        try:
            async with self._sent_exports.hold(await self._actor(environ), client):
                await self._sender.send(reply, client, only_head=only_head)
        except Busy:
            await self._threads.run(reply.content.close)
            await self._sender.send(busy(environ), client, only_head=only_head)

    async def _stream(self, memory: dict[str, Any], client: Client) -> Reply | None:
        if self._streams is None or self._stopping.done():
            return refusal(503, "stopping", "Can't open a stream right now. Try again.", last=True)
        return await self._streams.serve(memory, client)

    async def _allowed(self, environ: WSGIEnvironment) -> int:
        without_body = {**environ, "wsgi.input": io.BytesIO()}
        try:
            return await self._threads.run(self._may_upload, without_body)
        except BodyRefused:
            raise
        except Exception:
            log.exception("Could not check whether %s may be uploaded", environ["PATH_INFO"])
            raise BodyRefused(500, "internal_error", FAILED) from None

    async def _answer_quickly(self, scope: Scope, body: Body) -> Reply | None:
        return None if self._quick is None else await self._quick.answer(scope, body)

    async def _answer_in_place(
        self, environ: WSGIEnvironment, body: Body, client: Client
    ) -> Reply | Streamed:
        environ["edictum.memory"] = {}  # passed from the application to the stream
        environ["wsgi.input"] = body.rewound()
        if self._slow is None:
            return await self._threads.run(self._run, environ)
        if self._slow.waits(environ):
            return await self._answer_after_waiting(environ, client)
        if not self._slow.is_slow(environ):
            return await self._threads.run(self._run, environ)
        actor = await self._actor(environ)
        try:
            # Unauthenticated requests need no slot, as they are refused before any slow work.
            async with self._places.hold(actor, client) if actor else nullcontext():
                return await self._threads.run(self._run, environ)
        except Busy:
            return busy(environ)

    async def _actor(self, environ: WSGIEnvironment) -> str:
        if self._slow is None:
            return ""
        without_body = {**environ, "wsgi.input": io.BytesIO()}
        try:
            return await self._threads.run(self._slow.actor, without_body)
        except Exception:
            log.exception("Could not identify the sender of %s", environ["PATH_INFO"])
            return ""

    async def _answer_after_waiting(
        self, environ: WSGIEnvironment, client: Client
    ) -> Reply | Streamed:
        """Run the request on a separate thread. Its wait is cut short if the client disconnects or
        the server stops."""
        environ["edictum.cut_short"] = cut_short = threading.Event()
        loop, gone = asyncio.get_running_loop(), client.gone()
        try:
            async with self._waiting_places.hold("", client):
                run = loop.run_in_executor(self._waiting, self._run_and_release, environ)
                ends: list[asyncio.Future[Any]] = [run, gone, self._stopping]
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                cut_short.set()
                reply = await run
        except Busy:
            return busy(environ)
        finally:
            cut_short.set()
        if gone.done():
            raise ClientGone
        return reply

    def _run_and_release(self, environ: WSGIEnvironment) -> Reply | Streamed:
        try:
            return self._run(environ)
        finally:
            self._release()

    def _run(self, environ: WSGIEnvironment) -> Reply | Streamed:
        try:
            return answer(self._application, environ)
        except Exception:
            log.exception("%s %s failed", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            return broken(environ)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._stopping = Stopping().requested
        pools = (self._threads, self._disk, self._files, self._exports)
        for pool in pools:
            pool.start()
        if self._streams is not None:
            self._streams.start(self._threads)
            self._stopping.add_done_callback(self._end_streams)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._end_streams()
        if self._quick is not None:
            await self._quick.stop()
        for pool in pools:
            pool.stop()
        self._waiting.shutdown(wait=False)
        await send({"type": "lifespan.shutdown.complete"})

    def _end_streams(self, _: object = None) -> None:
        if self._streams is not None:
            self._streams.stop()

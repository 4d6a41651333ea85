"""Read request bodies completely on the event loop, before a thread handles the request.

Slow uploads hold no thread this way, and chunked bodies get the length that WSGI needs.
"""

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from edictum_site.front.environ import Scope, header
from edictum_site.front.threads import Threads

IN_MEMORY = 1024 * 1024
IN_MEMORY_OF_ALL = 64 * 1024 * 1024
IN_MEMORY_WHEN_FULL = 64 * 1024
SILENCE = 60.0  # seconds without a byte after which an upload is aborted

Receive = Callable[[], Awaitable[dict[str, Any]]]
Allowed = Callable[[], Awaitable[int]]


class ClientGone(Exception):
    """The client closed the connection, so no response can be sent."""


class BodyRefused(Exception):
    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


class Limit:
    """Byte limit of a body: a small one for everyone, then the sender's own."""

    def __init__(self, at_first: int, allowed: Allowed) -> None:
        self._bytes = at_first
        self._allowed = allowed
        self.raised = False

    async def check(self, size: int) -> None:
        if size <= self._bytes:
            return
        if not self.raised:
            self._bytes, self.raised = await self._allowed(), True
        if not self._bytes:
            detail = "A body this large needs a valid key or a signed-in user."
            raise BodyRefused(401, "unauthenticated", detail)
        if size > self._bytes:
            detail = f"A body may have at most {self._bytes} bytes here."
            raise BodyRefused(413, "too_large", detail)


@dataclass(slots=True)
class Body:
    size: int = 0
    pieces: list[bytes] = field(default_factory=list)  # not on disk
    held: int = 0  # bytes in pieces
    file: IO[bytes] | None = None

    def rewound(self) -> IO[bytes]:
        if self.file is None:
            return io.BytesIO(b"".join(self.pieces))
        self.file.seek(0)
        return self.file


class Bodies:
    """Reads bodies: small ones into memory, larger ones into unnamed files, if the sender is
    allowed to."""

    def __init__(self, folder: Path, disk: Threads) -> None:
        self._folder = folder
        self._disk = disk
        self._held = 0

    async def read(self, scope: Scope, receive: Receive, allowed: Allowed) -> Body:
        """Read a body. `allowed` returns the client's byte limit; it is only called for large
        bodies."""
        body = Body()
        announced = int(header(scope, b"content-length") or 0)
        if not announced and not header(scope, b"transfer-encoding"):
            return body
        full = self._held >= IN_MEMORY_OF_ALL
        limit = Limit(IN_MEMORY_WHEN_FULL if full else IN_MEMORY, allowed)
        try:
            await self._fill(body, announced, receive, limit)
        except BaseException as error:
            self.release(body)
            if isinstance(error, TimeoutError):
                raise BodyRefused(408, "timeout", "The body did not arrive in time.") from None
            raise
        return body

    def release(self, body: Body) -> None:
        self._held -= body.held
        body.held = 0
        if body.file is not None:
            body.file.close()

    async def _fill(self, body: Body, announced: int, receive: Receive, limit: Limit) -> None:
        clock = asyncio.get_running_loop().time
        more = True
        async with asyncio.timeout(SILENCE) as patience:
            await limit.check(announced)
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                patience.reschedule(clock() + SILENCE)
                more = message["more_body"]
                self._take(body, message["body"])
                await limit.check(body.size)
                rest_of_file = body.file is not None and not more
                if rest_of_file or (limit.raised and body.held >= IN_MEMORY):
                    await self._to_disk(body)

    def _take(self, body: Body, piece: bytes) -> None:
        body.pieces.append(piece)
        body.size += len(piece)
        body.held += len(piece)
        self._held += len(piece)

    async def _to_disk(self, body: Body) -> None:
        pieces, body.pieces = body.pieces, []
        try:
            if body.file is None:
                body.file = await self._disk.run(self._nameless_file)
            await self._disk.run(body.file.writelines, pieces)
        except OSError as error:
            why = error.strerror or "the disk rejected it"
            raise BodyRefused(
                507, "disk_full", f"The request body cannot be stored: {why}."
            ) from error
        self._held -= body.held
        body.held = 0

    def _nameless_file(self) -> IO[bytes]:
        # Not in the system's temporary folder, which may be in memory. A kill leaves no file.
        return tempfile.TemporaryFile(dir=self._folder)

"""Replies of the WSGI application as values that the event loop can send."""

import html
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from wsgiref.types import WSGIApplication, WSGIEnvironment

AT_ONCE = 1024 * 1024  # bytes: smaller files are read at once, larger ones in pieces
STREAM = b"x-edictum-stream"
FAILED = "Internal error. The server's log has the cause."
AWAY = "The database is unavailable. Nothing was stored. Try again."
BUSY = "The console is busy with other slow requests. Try again in 2 seconds."
BUSY_SECONDS = 2

OF_THE_CONNECTION = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding upgrade".split()
)

WITHOUT_CONTENT = (204, 304)

Header = tuple[bytes, bytes]


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def close(self) -> object: ...


@dataclass(frozen=True, slots=True)
class FileContent:
    """The `wsgi.file_wrapper`: a file to be read outside the application's threads."""

    file: Readable
    block_size: int = 0

    def close(self) -> None:
        self.file.close()


@dataclass(frozen=True, slots=True)
class Generated:
    """Content that is generated while it is sent, such as an export."""

    pieces: Iterable[bytes]

    def close(self) -> None:
        close(self.pieces)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: list[Header]
    content: bytes | FileContent | Generated

    @property
    def length(self) -> int | None:
        return next((int(v) for name, v in self.headers if name == b"content-length"), None)


@dataclass(frozen=True, slots=True)
class Streamed:
    """The application admits the client to a stream, which the front serves from now on.

    It passes data to the stream in `edictum.memory` of the environ.
    """


def answer(application: WSGIApplication, environ: WSGIEnvironment) -> Reply | Streamed:
    """Run the application for one request. Called on one of its threads."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start(
        status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], object]:
        started.append((status, headers))
        return no_write

    result: Any = application(environ, start)
    status, texts = started[-1]
    headers = readable(texts)
    if any(name == STREAM for name, _ in headers):
        close(result)
        return Streamed()
    reply = Reply(int(status[:3]), headers, content_of(result))
    if reply.status in WITHOUT_CONTENT:
        close(reply.content)
        return Reply(reply.status, [h for h in headers if h[0] != b"content-length"], b"")
    match reply.content:
        case FileContent(file) if reply.length is not None and reply.length <= AT_ONCE:
            try:
                return Reply(reply.status, headers, file.read(reply.length))
            finally:
                file.close()
        case bytes(content) if reply.length is None:
            length = (b"content-length", b"%d" % len(content))
            return Reply(reply.status, [*headers, length], content)
        case _:
            return reply


def readable(texts: list[tuple[str, str]]) -> list[Header]:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in texts]
    return [header for header in headers if header[0] not in OF_THE_CONNECTION]


def content_of(result: Any) -> bytes | FileContent | Generated:
    if isinstance(result, FileContent):
        return result
    if getattr(result, "streaming", not isinstance(result, list)):
        return Generated(result)
    try:
        return b"".join(result)
    finally:
        close(result)


def close(result: Any) -> None:
    if hasattr(result, "close"):
        result.close()


def no_write(data: bytes) -> object:
    raise RuntimeError("The front does not offer write() of WSGI: return the content instead.")


def refusal(status: int, code: str, detail: str, *, last: bool = False, again: int = 0) -> Reply:
    """Error reply of the front itself. `last` closes the connection; `again` is the number of
    seconds after which to retry."""
    body = json.dumps({"code": code, "detail": detail, "errors": []}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if again:
        headers.append((b"retry-after", b"%d" % again))
    return Reply(status, headers + [(b"connection", b"close")] * last, body)


def busy(environ: WSGIEnvironment) -> Reply:
    """Reply to a slow request that got no slot; as a page, it reloads itself."""
    if "text/html" not in environ.get("HTTP_ACCEPT", ""):
        return refusal(503, "busy", BUSY, again=BUSY_SECONDS)
    again = [(b"retry-after", b"%d" % BUSY_SECONDS)]
    if environ["REQUEST_METHOD"] == "GET":
        again.append((b"refresh", b"%d" % BUSY_SECONDS))
    return page(503, "Busy", BUSY, again)


def broken(environ: WSGIEnvironment) -> Reply:
    """Reply if the application itself raised; it has pages for all other errors."""
    if "text/html" not in environ.get("HTTP_ACCEPT", ""):
        return refusal(500, "internal_error", FAILED)
    return page(500, "Internal error", FAILED)


def page(status: int, title: str, text: str, headers: Sequence[Header] = ()) -> Reply:
    body = f"<!doctype html><title>{title}</title><p>{html.escape(text)}</p>".encode()
    kind = (b"content-type", b"text/html; charset=utf-8")
    return Reply(status, [kind, *headers, (b"content-length", b"%d" % len(body))], body)

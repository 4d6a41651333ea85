"""Persistent connection to the console, and interpretation of its responses."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
WORTH_PACKING = 16_384  # bytes above which a post is compressed
LARGEST_ANSWER = 4_000_000
LARGEST_FILE = 32_000_000
PATIENCE = (
    3  # times the read timeout, for a complete download: a slow trickle would never hit the timeout
)

Verdict = Literal["taken", "later", "smaller", "refused"]


@dataclass(frozen=True)
class Answer:
    verdict: Verdict
    why: str = ""
    rejected: int = 0
    ignored: tuple[str, ...] = ()  # fields unknown to the console


@dataclass(frozen=True)
class File:
    status: int
    body: bytes
    etag: str


class Transport:
    """Connection for one thread at a time."""

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        *,
        timeout: float,
        tls: ssl.SSLContext | None = None,
        allow_insecure: bool = False,
    ) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"{url!r} is no address of a console: http://… or https://…")
        if address.scheme == "http" and address.hostname not in LOOPBACK and not allow_insecure:
            raise ValueError(
                f"{url} would send the key and the results in the clear: use https, or say"
                " allow_insecure=True."
            )
        self._address = address
        self._path = address.path.rstrip("/")
        self._headers = {**headers, "Content-Type": "application/json"}
        self._timeout = timeout
        self._tls = tls
        self._connection: http.client.HTTPConnection | None = None
        self._cut = False
        self._late = threading.Event()

    def post(self, family: str, items: list[bytes]) -> Answer:
        body = b'{"%s":[%s]}' % (family.encode(), b",".join(items))
        headers = dict(self._headers)
        if len(body) > WORTH_PACKING:
            body, headers["Content-Encoding"] = gzip.compress(body, 1), "gzip"
        return self._sent(family, body, headers)

    def upload(self, content: bytes, media_type: str) -> Answer:
        return self._sent("artifacts", content, {**self._headers, "Content-Type": media_type})

    def _sent(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        try:
            answer = self._exchange("POST", path, body, headers, LARGEST_ANSWER)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer("later", f"{type(error).__name__}: {error}")
        return _read(answer.status, answer.body)

    def get(self, path: str, etag: str = "", also: Mapping[str, str] | None = None) -> File:
        """Send a GET request. Raises network errors."""
        headers = {**self._headers, **(also or {}), **({"If-None-Match": etag} if etag else {})}
        try:
            with self._no_longer_than(self._timeout * PATIENCE):
                return self._exchange("GET", path, None, headers, LARGEST_FILE)
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def request(self, method: str, path: str, body: bytes | None) -> File:
        """Send a request and close the connection afterwards. Raises network errors."""
        try:
            with self._no_longer_than(self._timeout * PATIENCE):
                return self._exchange(method, path, body, self._headers, LARGEST_FILE)
        finally:
            self.close()

    @contextmanager
    def _no_longer_than(self, seconds: float) -> Iterator[None]:
        late = self._late = threading.Event()

        def end() -> None:
            late.set()
            self._hang_up()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        with suppress(RuntimeError):  # no more threads, or the interpreter is ending
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
        if late.is_set():  # a truncated response can look complete
            raise TimeoutError(f"The answer took longer than {seconds:g} seconds.")

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], most: int
    ) -> File:
        reused = self._connection is not None
        try:
            return self._ask(method, path, body, headers, most)
        except (ConnectionError, http.client.RemoteDisconnected):
            # The server may have closed an idle connection; repeating the request is harmless.
            if not reused or self._cut or self._late.is_set():
                raise
        self.close()
        return self._ask(method, path, body, headers, most)

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], most: int
    ) -> File:
        if self._connection is None:
            self._connection = self._connect()
        self._connection.request(method, f"{self._path}/v1/{path}", body, headers)
        answer = self._connection.getresponse()
        text = answer.read(most)
        if not answer.isclosed():
            self.close()
        return File(answer.status, text, answer.getheader("ETag") or "")

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        if self._address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        tls = self._tls or ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=tls)

    def cut(self) -> None:
        """Abort a pending request, without a retry. Any thread may call this."""
        self._cut = True
        self._hang_up()

    def _hang_up(self) -> None:
        waiting = getattr(self._connection, "sock", None)
        if waiting is not None:
            with suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _read(status: int, text: bytes) -> Answer:
    if 200 <= status < 300:
        return _acknowledged(text)
    why = f"HTTP {status}: {text[:300].decode('utf-8', 'replace')}"
    if status == 413:
        return Answer("smaller", why)
    # A missing permission may be granted later, and a proxy's error says nothing about the items.
    lasting = 400 <= status < 500 and status not in (401, 403, 404, 408, 425, 429)
    return Answer("refused" if lasting else "later", why)


def _acknowledged(text: bytes) -> Answer:
    try:
        answer: Any = json.loads(text)
        rejected = [f"{one['code']}: {one['detail']}" for one in answer.get("rejected", ())]
        ignored = tuple({str(one["field"]): None for one in answer.get("warnings", ())})
    except (ValueError, TypeError, KeyError, AttributeError):
        # A proxy's page or an empty body: no console accepted the post.
        return Answer("later", "The answer is not that of a console.")
    why = f"The console rejected an item: {rejected[0]}" if rejected else ""
    return Answer("taken", why, len(rejected), ignored)

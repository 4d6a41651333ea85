"""One connection to the console, kept open, and what its answers mean for what was sent."""

from __future__ import annotations

import gzip
import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
WORTH_PACKING = 16_384  # bytes
LARGEST_ANSWER = 4_000_000

Verdict = Literal["taken", "later", "smaller", "refused"]


@dataclass(frozen=True)
class Answer:
    verdict: Verdict
    why: str = ""
    rejected: int = 0


class Transport:
    """Used by one thread at a time."""

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

    def post(self, family: str, items: list[bytes]) -> Answer:
        body = b'{"%s":[%s]}' % (family.encode(), b",".join(items))
        headers = dict(self._headers)
        if len(body) > WORTH_PACKING:
            body, headers["Content-Encoding"] = gzip.compress(body, 1), "gzip"
        try:
            status, text = self._exchange(f"{self._path}/v1/{family}", body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer("later", f"{type(error).__name__}: {error}")
        return _read(status, text)

    def _exchange(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        reused = self._connection is not None
        try:
            return self._ask(path, body, headers)
        except (ConnectionError, http.client.RemoteDisconnected):
            # A connection that rested may have been closed over there; repeats do no harm.
            if not reused:
                raise
        self.close()
        return self._ask(path, body, headers)

    def _ask(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = self._connect()
        self._connection.request("POST", path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read(LARGEST_ANSWER)
        if not answer.isclosed():
            self.close()
        return answer.status, text

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        if self._address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        tls = self._tls or ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=tls)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _read(status: int, text: bytes) -> Answer:
    if 200 <= status < 300:
        return _taken(text)
    why = f"HTTP {status}: {text[:300].decode('utf-8', 'replace')}"
    if status == 413:
        return Answer("smaller", why)
    # A key may be granted what it lacks, and a proxy's page says nothing about what was sent.
    lasting = 400 <= status < 500 and status not in (401, 403, 404, 408, 425, 429)
    return Answer("refused" if lasting else "later", why)


def _taken(text: bytes) -> Answer:
    try:
        told: Any = json.loads(text)
        rejected = [f"{one['code']}: {one['detail']}" for one in told.get("rejected", ())]
    except (ValueError, TypeError, KeyError, AttributeError):
        # A proxy's page, or nothing: the post was not taken by a console.
        return Answer("later", "The answer is not that of a console.")
    why = f"The console rejected an item: {rejected[0]}" if rejected else ""
    return Answer("taken", why, len(rejected))

"""uvicorn's HTTP protocol, with limits on what a client may send before a request is complete.

uvicorn and its parser have none: endless headers would fill memory, and silent connections would
each hold a file descriptor forever. The parser does limit URLs to 64 KiB, which is too low: names
in session store keys may have 10,000 characters in any language, each up to twelve bytes escaped.
"""

import asyncio
import resource
from typing import Any
from urllib.parse import unquote

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from edictum_site.env import env_head_seconds

LARGEST_HEAD = 160 * 1024
LONGEST_PARSED = 65_535  # bytes of a URL, as the parser stores offsets in two bytes
HEAD_SECONDS = env_head_seconds()  # until the first byte, and until the headers are complete
SLOW_HEAD = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Idle:
    """Idle connections. If there are too many, the oldest is closed, so that half of the process's
    file descriptors remain for connections with a request."""

    def __init__(self) -> None:
        self._most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
        self._connections: dict[Protocol, None] = {}

    def add(self, connection: "Protocol") -> None:
        self._connections[connection] = None
        if len(self._connections) > self._most:
            oldest = next(iter(self._connections))
            self.discard(oldest)
            oldest.transport.close()

    def discard(self, connection: "Protocol") -> None:
        self._connections.pop(connection, None)


_idle = Idle()


class Protocol(HttpToolsProtocol):
    _head = 0  # bytes received since the last body byte or the end of the last request
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        _idle.add(self)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _idle.discard(self)
        self._head_is_there()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The request headers are too large.")
        if not self._is_under_way():  # incomplete headers, or blank lines before a request
            self._await_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_under_way() and not self.transport.is_closing():
            _idle.add(self)

    def _is_under_way(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        if self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up_head)

    def _head_is_there(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up_head(self) -> None:
        self._head_timer = None
        if self.transport.is_closing() or self._is_under_way():
            return
        if self._head:
            self.transport.write(SLOW_HEAD)
        self.transport.close()

    def on_headers_complete(self) -> None:
        self._head_is_there()
        _idle.discard(self)
        address = self.url
        if len(address) <= LONGEST_PARSED or not address.startswith(b"/"):
            super().on_headers_complete()
            return
        self.url = b"/"
        super().on_headers_complete()
        # The scope belongs to a task that starts later, so it can still be changed here.
        path, _, query = address.partition(b"?")
        self.scope |= {
            "path": self.root_path + unquote(path.decode("ascii")),
            "raw_path": self.root_path.encode("ascii") + path,
            "query_string": query,
        }

    def on_body(self, body: bytes) -> None:
        self._head = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head = 0
        super().on_message_complete()

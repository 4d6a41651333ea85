"""uvicorn's HTTP protocol, with an end to what a stranger may send before it is a request.

Neither uvicorn nor its parser sets one: headers without end would fill the memory, and connections
that say nothing would hold a file each for ever. The parser does end addresses, at 64 KiB, and too
early: a key of an agent is one of 10,000 characters of any language, of which each takes twelve
once it is escaped.
"""

import asyncio
import resource
from typing import Any
from urllib.parse import unquote

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from edictum_site.env import env_head_seconds

LARGEST_HEAD = 160 * 1024
LONGEST_PARSED = 65_535  # bytes of an address; its parts are counted with two bytes
HEAD_SECONDS = env_head_seconds()  # for a head to be complete, and for the first byte to come
SLOW_HEAD = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Idle:
    """Connections without a request under way. The oldest is closed for one too many, so that half
    of the files that this process may open are left for those with one."""

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
    _head = 0  # bytes since the last that belonged to a body, or since the end of a request
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
        if not self._is_under_way():  # half a head, or line ends before one
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
        # The scope is that of a task which begins later.
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

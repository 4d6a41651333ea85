"""uvicorn's HTTP protocol, with an end to what a stranger may send before it is a request.

Neither uvicorn nor its parser sets one: headers without end would fill the memory. The parser does
end addresses, at 64 KiB, and too early: a key of an agent is one of 10,000 characters of any
language, of which each takes twelve once it is escaped.
"""

from urllib.parse import unquote

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 160 * 1024
LONGEST_PARSED = 65_535  # bytes of an address; its parts are counted with two bytes


class Protocol(HttpToolsProtocol):
    _head = 0  # bytes since the last that belonged to a body, or since the end of a request

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too long.")

    def on_headers_complete(self) -> None:
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

"""uvicorn's HTTP protocol, with an end to what a stranger may send before it is a request.

Neither uvicorn nor its parser sets one: headers without end would fill the memory.
"""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 64 * 1024


class Protocol(HttpToolsProtocol):
    _head = 0  # bytes since the last that belonged to a body, or since the end of a request

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too long.")

    def on_body(self, body: bytes) -> None:
        self._head = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head = 0
        super().on_message_complete()

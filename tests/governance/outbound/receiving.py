"""An HTTP server on loopback that records the requests it receives."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class Receiver:
    def __init__(self, status: int) -> None:
        self.status = status
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def text(self) -> str:
        return "".join(body.decode() for _, _, body in self.requests)


@contextmanager
def receiver(status: int = 200) -> Iterator[Receiver]:
    at = Receiver(status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            at.requests.append((self.path, dict(self.headers), body))
            self.send_response(at.status)
            self.send_header("Content-Length", "0")
            if at.status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        at.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield at
        finally:
            server.shutdown()
            thread.join()

"""Fake console whose responses tests set, to simulate network failures."""

import gzip
import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

ACCEPTED = (202, b'{"accepted": 1, "rejected": []}')
CUT = (0, b"")


class Receiver:
    def __init__(self) -> None:
        self.next: deque[tuple[int, bytes]] = deque()  # next responses; `always` applies after them
        self.always = ACCEPTED
        self.requests = threading.Semaphore(0)
        self.open = threading.Event()  # responses wait while this is not set
        self.open.set()
        self.headers: list[dict[str, str]] = []
        self.items: list[dict[str, Any]] = []
        self.artifacts: list[bytes] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                receiver.answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.requests.release()
        self.open.wait(60)
        status, text = self.next.popleft() if self.next else self.always
        if (status, text) == CUT:
            request.close_connection = True
            return
        if status == ACCEPTED[0]:
            self.headers.append({**dict(request.headers), "path": request.path})
            self._keep(request.path, body)
        request.send_response(status)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def _keep(self, path: str, body: bytes) -> None:
        if path.endswith("/artifacts"):
            self.artifacts.append(body)
        else:
            (items,) = json.loads(body).values()
            self.items += items

    def __enter__(self) -> "Receiver":
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.open.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

"""Fake console that serves success checks over HTTP, or any invalid response that a test sets."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from governance.checks.language.text import check_text

STATUS_400 = """
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: default
rules:
  - id: http
    when: {"result.status": {gte: 400}}
    verdict: failure
    reason: "HTTP {value}"
  - id: traceback
    when: {result: {matches: "^Traceback \\\\("}}
    verdict: failure
"""
NULL_TOO = STATUS_400.replace(
    "rules:", "rules:\n  - {id: nothing, when: {result: {type: 'null'}}, verdict: failure}"
)


def compiled(text: str, version: int) -> bytes:
    checked = check_text(text, included=lambda name: None, version=version)
    assert checked.compiled is not None, checked.problems
    return json.dumps(checked.compiled).encode()


class ChecksServer:
    def __init__(self) -> None:
        self.versions: dict[int, bytes] = {}
        self.always: tuple[int, bytes] | None = None  # response to every request, if set
        self.requests: list[tuple[str, str]] = []  # path and ETag, recorded before responding
        self.answers = 0
        self.answered = threading.Condition()
        self._port = 0

    def save(self, text: str, version: int) -> None:
        self.versions[version] = compiled(text, version)

    def wait_for(self, count: int) -> None:
        """Wait until this many more requests have been answered."""
        upto = self.answers + count
        with self.answered:
            assert self.answered.wait_for(lambda: self.answers >= upto, 10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server, after a stop at the same address as before."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server._answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        known = request.headers.get("If-None-Match", "")
        self.requests.append((request.path, known))
        status, body, etag = self._lookup(request.path, known)
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        if etag:
            request.send_header("ETag", etag)
        # Without keep-alive, no connection outlives a stopped server.
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(body)
        with self.answered:
            self.answers += 1
            self.answered.notify_all()

    def _lookup(self, path: str, known: str) -> tuple[int, bytes, str]:
        if self.always is not None:
            return *self.always, ""
        address = urlsplit(path)
        expected = parse_qs(address.query).get("version")
        version = int(expected[0]) if expected else max(self.versions, default=0)
        if address.path != "/v1/success-checks/unified.json" or version not in self.versions:
            return 404, json.dumps({"detail": "Check not found."}).encode(), ""
        etag = f'"unified-{version}"'
        return (304, b"", etag) if known == etag else (200, self.versions[version], etag)

    def __enter__(self) -> "ChecksServer":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._thread.is_alive():
            self.stop()

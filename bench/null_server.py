"""A null console with a constant response for each request that an SDK sends.

The duration of a governed call with it is the overhead of the SDK, its HTTP library and the web
server.
"""

import base64
import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.governing import CONTRACT
from bench.machine import ROOT
from edictum_site.stack.children import web_command
from edictum_site.stack.port import listen, url_of

DOCUMENT = {"name": "bench", "yaml_bytes": base64.b64encode(CONTRACT.encode()).decode()}
ABSENT = {"code": "not_found", "detail": "There is no such key.", "errors": []}
ACCEPTED = {"accepted": 50, "rejected": [], "batch": 1}

Answer = tuple[int, bytes]


def _constant(status: int, body: object) -> Answer:
    return status, json.dumps(body, separators=(",", ":")).encode()


_INCREMENT = _constant(200, {"value": 1})
_BATCH = _constant(200, {"values": {"s:bench-0:attempts": "1", "s:bench-0:execs": "1"}})
_GET = _constant(200, {"value": "1"})
_DELETE = _constant(404, ABSENT)  # a console's response if there are no failures to reset
_EVENTS = _constant(202, ACCEPTED)
_DOCUMENT = _constant(200, DOCUMENT)


def _answer(method: str, path: str) -> Answer:
    if method == "DELETE":
        return _DELETE
    if method == "GET":
        return _DOCUMENT if path.endswith("/current") else _GET
    if path.endswith("/increment"):
        return _INCREMENT
    return _EVENTS if path.endswith("/events") else _BATCH


async def application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    if scope["type"] == "lifespan":
        for done in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{done}.complete"})
        return
    while (await receive()).get("more_body"):
        pass
    status, body = _answer(scope["method"], scope["path"])
    headers = [
        (b"content-type", b"application/json"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


@contextmanager
def null_server() -> Iterator[tuple[str, int]]:
    """Address and process ID of the null server, started with the product's own options."""
    with listen("127.0.0.1", 0) as listener:
        served = subprocess.Popen(
            web_command("bench.null_server:application", listener.fileno()),
            cwd=ROOT,
            pass_fds=(listener.fileno(),),
        )
        try:
            yield url_of(listener), served.pid
        finally:
            served.kill()
            served.wait()

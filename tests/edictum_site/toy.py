"""A small WSGI application for tests of the front: one behavior per path."""

import asyncio
import hashlib
import io
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from edictum_site.front.app import Front
from edictum_site.front.replies import Reply, refusal
from edictum_site.front.sending import Client
from edictum_site.front.threads import Threads

FOLDER = Path(os.environ["TOY_FOLDER"])
EVENTS = FOLDER / "events"
Start = Callable[[str, list[tuple[str, str]]], object]


def note(event: str) -> None:
    with EVENTS.open("a") as file:
        file.write(f"{event}\n")


def echo(environ: dict[str, Any], start: Start) -> Any:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    fields = {name: value for name, value in environ.items() if isinstance(value, str | bool)}
    digest = {"length": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(fields | digest).encode()]


def small_file(environ: dict[str, Any], start: Start) -> Any:
    content = b"small " * 100
    start("200 OK", [("Content-Length", str(len(content)))])
    return environ["wsgi.file_wrapper"](io.BytesIO(content), 4096)


def large_file(environ: dict[str, Any], start: Start) -> Any:
    file = (FOLDER / "large").open("rb")
    start("200 OK", [("Content-Length", str(os.fstat(file.fileno()).st_size))])
    return environ["wsgi.file_wrapper"](file, 4096)


class StuckFile(io.BytesIO):
    """A file from a store that does not respond until the test releases it."""

    def read(self, size: int | None = -1, /) -> bytes:
        note("read stuck")
        while not (FOLDER / "let go").exists():
            time.sleep(0.01)
        return super().read(size)


def stuck_file(environ: dict[str, Any], start: Start) -> Any:
    start("200 OK", [("Content-Length", "2000000")])
    return environ["wsgi.file_wrapper"](StuckFile(b"late" * 500_000), 4096)


def growing_file(environ: dict[str, Any], start: Start) -> Any:
    # Longer than announced when it was opened, like a file that is appended to.
    start("200 OK", [("Content-Length", "2000000")])
    return environ["wsgi.file_wrapper"](io.BytesIO(b"g" * 2_500_000), 4096)


def rows(environ: dict[str, Any], start: Start) -> Any:
    start("200 OK", [("Content-Type", "text/csv")])
    thread = threading.current_thread().name

    def generate() -> Iterator[bytes]:
        for number in range(5000):
            yield f"{number},{thread == threading.current_thread().name}\n".encode()

    return generate()


def endless(environ: dict[str, Any], start: Start) -> Any:
    start("200 OK", [])

    def generate() -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * 10_000
                time.sleep(0.005)
        finally:
            note("endless closed")

    return generate()


def broken_export(environ: dict[str, Any], start: Start) -> Any:
    start("200 OK", [])

    def generate() -> Iterator[bytes]:
        yield b"x" * 100_000
        raise RuntimeError("the export broke")

    return generate()


def wait(environ: dict[str, Any], start: Start) -> Any:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
    note("waited on")
    ends = time.monotonic() + float(environ["QUERY_STRING"])
    while time.monotonic() < ends and not environ["edictum.cut_short"].wait(0.02):
        pass
    note("wait ended")
    start("200 OK", [("Content-Type", "text/plain")])
    return [f"waited, body {body}".encode()]


def busy(environ: dict[str, Any], start: Start) -> Any:
    time.sleep(float(environ["QUERY_STRING"]))
    start("200 OK", [])
    return [b"done"]


def slow(environ: dict[str, Any], start: Start) -> Any:
    """Block the thread until the test releases it."""
    note("slow began")
    while not (FOLDER / "let go").exists():
        time.sleep(0.01)
    start("200 OK", [])
    return [b"done"]


def nothing(environ: dict[str, Any], start: Start) -> Any:
    start("304 Not Modified", [("Content-Length", "7"), ("ETag", '"a"')])
    return [b"ignored"]


def hop(environ: dict[str, Any], start: Start) -> Any:
    start("200 OK", [("Connection", "close"), ("Keep-Alive", "timeout=1")])
    return [b"still here"]


def broken(environ: dict[str, Any], start: Start) -> Any:
    raise RuntimeError("the application broke")


def stream(environ: dict[str, Any], start: Start) -> Any:
    environ["edictum.memory"]["wanted"] = environ["QUERY_STRING"]
    start("200 OK", [("X-Edictum-Stream", "1")])
    return []


class ToyStreams:
    """`endless` runs until the client disconnects or shutdown; `cut` is aborted midway."""

    def start(self, threads: Threads) -> None:
        self._stopped = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    async def serve(self, memory: dict[str, Any], client: Client) -> Reply | None:
        if memory["wanted"] == "refused":
            return refusal(404, "not_found", "Not that one.")
        gone = client.gone()
        await client.start(Reply(200, [(b"content-type", b"text/event-stream")], b""))
        await client.push(b": hello\n\n")
        if memory["wanted"] == "endless":
            await asyncio.wait({gone, self._stopped}, return_when=asyncio.FIRST_COMPLETED)
        note("stream ended")
        client.cut()
        await asyncio.wait({gone}, timeout=5)
        return None


HABITS = {
    habit.__name__: habit
    for habit in (
        *(echo, small_file, large_file, stuck_file, growing_file, rows, endless, broken_export),
        *(wait, busy, slow, nothing, hop, broken, stream),
    )
}


def toy(environ: dict[str, Any], start: Start) -> Any:
    name = environ["PATH_INFO"].split("/")[1]
    return HABITS[name](environ, start)


def may_upload(environ: dict[str, Any]) -> int:
    known = {"Bearer large": 8 * 1024 * 1024, "Bearer larger": 64 * 1024 * 1024}
    return known.get(environ.get("HTTP_AUTHORIZATION", ""), 0)


class ToySlow:
    """Slow requests have a path that sleeps; the actor is a header, or else the connection."""

    def is_slow(self, environ: dict[str, Any]) -> bool:
        return str(environ["PATH_INFO"]).startswith("/slow")

    def waits(self, environ: dict[str, Any]) -> bool:
        return str(environ["PATH_INFO"]).startswith("/wait")

    def actor(self, environ: dict[str, Any]) -> str:
        return str(environ.get("HTTP_X_ACTOR", environ["REMOTE_PORT"]))


application = Front(
    toy,
    folder=FOLDER,
    may_upload=may_upload,
    release=lambda: note("thread released"),
    streams=ToyStreams(),
    slow=ToySlow(),
)

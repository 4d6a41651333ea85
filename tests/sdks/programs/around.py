"""Environment of an agent program: a console operator, and a connection that can be cut."""

import asyncio
import contextlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60.0  # seconds; what does not happen by then does not happen
BUSY = 503


class Operator:
    """Operator who deploys contracts, assigns them and decides approvals while agents run."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url, key

    async def ask(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        return await asyncio.to_thread(self._ask, method, path, body)

    async def deploy(self, text: str) -> str:
        """Deploy a contract and return the revision hash of the text as written."""
        version = await self.ask("POST", "contracts", yaml=text)
        path = f"contracts/{version['name']}/deployments"
        await self.ask("POST", path, version=version["version"], env="production")
        return str(version["revision_hash"])

    async def assign(self, bundle: str, agent: str, **rule: Any) -> None:
        await self.ask(
            "PUT", "assignments", bundle_name=bundle, env="production", agent_id=agent, **rule
        )

    async def decide(self, agent: str, decision: str, reason: str) -> None:
        until = time.monotonic() + PATIENCE
        while True:
            result = await self.ask("GET", f"approvals?agent_id={agent}&status=pending")
            if result["approvals"]:
                break
            assert time.monotonic() < until, f"{agent} has not asked"
            await asyncio.sleep(0.1)
        path = f"approvals/{result['approvals'][0]['id']}/decision"
        await self.ask("POST", path, decision=decision, reason=reason)

    def _ask(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - the console that the test has started
            f"{self._url}/v1/{path}",
            json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {self._key}"},
            method=method,
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - the same
                    outcome: dict[str, Any] = json.loads(answer.read())
                    return outcome
            except urllib.error.HTTPError as refused:
                # A busy console did not process the request and says when to retry.
                if refused.code != BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(float(refused.headers["Retry-After"]))


class Line:
    """Proxy between an agent and the console; while cut, it refuses connections.

    Every other response to requests that start with `losing` is dropped.
    """

    def __init__(self, url: str, losing: bytes = b"") -> None:
        self.lost = 0
        self._losing, self._seen = losing, 0
        to = urlsplit(url)
        self._to = (to.hostname, to.port)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in list(self._open):
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*self._to)
        self._open |= {writer, back}
        unlucky = asyncio.Event()

        def sent(some: bytes) -> bool:
            if self._losing and some.startswith(self._losing):
                self._seen += 1
                if self._seen % 2:
                    unlucky.set()
            return True

        def answered(_: bytes) -> bool:
            if unlucky.is_set():
                self.lost += 1
                writer.transport.abort()
                return False
            return True

        await asyncio.gather(_pump(reader, back, sent), _pump(there, writer, answered))
        self._open -= {writer, back}


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, goes_on: Callable[[bytes], bool]
) -> None:
    with contextlib.suppress(OSError):
        while (some := await reader.read(65_536)) and goes_on(some):
            writer.write(some)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()


@contextlib.asynccontextmanager
async def a_line(url: str, losing: bytes = b"") -> AsyncIterator[Line]:
    line = Line(url, losing)
    await line.mend()
    try:
        yield line
    finally:
        await line.cut()


async def all_sent(guard: Any) -> None:
    """Send the events that `guard.close` leaves unsent in every version.

    The sinks are closed rather than flushed, because a flush misses events that the sink's timer is
    sending at that moment, and that send may fail."""
    for sink in getattr(guard.audit_sink, "sinks", [guard.audit_sink]):
        if hasattr(sink, "close"):
            await sink.close()


async def until(happened: Any) -> bool:
    """Wait for a condition; False if it isn't met in time."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True

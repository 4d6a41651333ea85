"""Agents that hold streams open: a separate, lightweight process with one event loop.

`python -m bench.listeners` reads an Order from standard input, opens the streams and prints
`open <number>`. For each version, it prints an Arrival once all agents have received it.
"""

import asyncio
import contextlib
import sys
import time

import msgspec
import uvloop

WINDOW = 100  # connections opened concurrently


class Order(msgspec.Struct):
    host: str
    port: int
    key: str
    bundle: str
    streams: int


class Arrival(msgspec.Struct):
    """Arrival of a version, timed on the monotonic clock, which all processes share."""

    version: int
    first: float
    last: float
    agents: int


class Listeners:
    def __init__(self, order: Order) -> None:
        self.order = order
        self.seen: dict[int, list[float]] = {}
        self.ended = 0
        self._opening = asyncio.Semaphore(WINDOW)

    async def open_all(self) -> None:
        opened = [self._opened(number) for number in range(self.order.streams)]
        readers = await asyncio.gather(*opened)
        print(f"open {len(readers)}", flush=True)
        await asyncio.gather(*(self._read(reader) for reader in readers))
        print(f"ended {self.ended}", flush=True)

    async def _opened(self, number: int) -> asyncio.StreamReader:
        order = self.order
        async with self._opening:
            reader, writer = await asyncio.open_connection(order.host, order.port)
            writer.write(
                (
                    f"GET /v1/stream?env=production&bundle_name={order.bundle} HTTP/1.1\r\n"
                    f"Host: {order.host}:{order.port}\r\n"
                    f"Authorization: Bearer {order.key}\r\n"
                    f"X-Edictum-Agent-Id: agent-{number}\r\n\r\n"
                ).encode()
            )
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200 "):
                raise SystemExit(f"refused: {head!r}")
            reader._writer = writer  # type: ignore[attr-defined]  # as long as it is read
        return reader

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while line := await reader.readline():
                if line.startswith(b"data: ") and b'"yaml_bytes"' in line:
                    self._note(msgspec.json.decode(line[6:])["version"])
        self.ended += 1

    def _note(self, version: int) -> None:
        times = self.seen.setdefault(version, [])
        times.append(time.monotonic())
        if len(times) == self.order.streams:
            answer = Arrival(version, times[0], times[-1], len(times))
            print(msgspec.json.encode(answer).decode(), flush=True)


if __name__ == "__main__":
    uvloop.run(Listeners(msgspec.json.decode(sys.stdin.readline(), type=Order)).open_all())

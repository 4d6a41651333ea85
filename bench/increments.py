"""Increments session counters as SDKs do, with one connection per client.

`python -m bench.increments` is the client side, a separate process: it reads an Order from standard
input, prints `ready`, waits for a line, and prints a Result.
"""

import secrets
import socket
import sys
import threading
import time

import msgspec

from bench.agent import Result
from bench.parts import Part, percentiles
from bench.posting import started
from bench.processes import CpuMeter
from bench.site import Site

KEYS = ("attempts", "execs", "tool:look up")  # session counters that one governed call increments
_STORED = "SELECT coalesce(sum(number), 0), count(*) FROM outcomes_storedvalue WHERE key LIKE %s"


class Order(msgspec.Struct):
    host: str
    port: int
    key: str
    tag: str
    clients: int
    seconds: float


class Client:
    """Client with its own session; each response must be one more than the last for that key."""

    def __init__(self, order: Order, number: int) -> None:
        self.latencies: list[float] = []
        self.failure = "the client ended in the middle"  # cleared at the end of a complete run
        self._seconds = order.seconds
        self._requests = [_request(order, f"s%3A{order.tag}-{number}%3A{name}") for name in KEYS]
        self._connection = socket.create_connection((order.host, order.port), timeout=60)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run(self, began: float) -> None:
        expected = 0
        try:
            while time.monotonic() < began + self._seconds:
                expected += 1
                for request in self._requests:
                    sent = time.monotonic()
                    answered = self._exchange(request)
                    if answered != b'{"value":%d}' % expected:
                        self.failure = f"{answered[:200]!r} instead of {expected}"
                        return
                    self.latencies.append(time.monotonic() - sent)
        except OSError as error:
            self.failure = f"connection lost: {error}"
            return
        self.failure = ""

    def _exchange(self, request: bytes) -> bytes:
        self._connection.sendall(request)
        received = b""
        while not received.endswith(b"}"):
            part = self._connection.recv(65_536)
            if not part:
                raise ConnectionResetError("closed by the server")
            received += part
        return received.partition(b"\r\n\r\n")[2]


def increments(site: Site, *, clients: int, seconds: float) -> Part:
    """Measure durable increments, including API key checks, while the product is otherwise idle."""
    tag = secrets.token_hex(4)
    part = Part("increments", 1, clients, how="three counters of a session per client")
    order = Order(*site.address, site.key, tag, clients, seconds)
    with started("bench.increments", order) as ready:
        meter = CpuMeter({**site.processes, "client": ready.process.pid})
        result = ready.go()
        part.cores = meter.read()
    part.items = sum(result.posted)
    stored, keys = map(int, site.store.rows(_STORED, f"s:{tag}-%")[0])
    part.faults = list(result.failures)
    if (stored, keys) != (part.items, clients * len(KEYS)):
        part.faults.append(f"{part.items} were acknowledged, {stored} are stored in {keys} keys")
    took = result.ended - result.began
    part.figures = {"items_per_s": part.items / took, **percentiles(result.latencies, 50, 95, 99)}
    return part


def _request(order: Order, key: str) -> bytes:
    body = b'{"amount":1}'
    head = (
        f"POST /v1/sessions/{key.replace(' ', '%20')}/increment HTTP/1.1\r\n"
        f"Host: {order.host}:{order.port}\r\n"
        f"Authorization: Bearer {order.key}\r\n"
        "X-Edictum-Agent-Id: bench\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def carry_out(order: Order) -> Result:
    clients = [Client(order, number) for number in range(order.clients)]
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.monotonic()
    threads = [threading.Thread(target=client.run, args=(began,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Result(
        began,
        time.monotonic(),
        [len(client.latencies) for client in clients],
        [latency for client in clients for latency in client.latencies],
        [client.failure for client in clients if client.failure],
    )


if __name__ == "__main__":
    result = carry_out(msgspec.json.decode(sys.stdin.readline(), type=Order))
    print(msgspec.json.encode(result).decode(), flush=True)

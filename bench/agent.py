"""The posting side: a separate process that builds all bodies first and then only sends them.

`python -m bench.agent` reads an Order from standard input, prints `ready`, waits for a line, and
prints a Result. Each client is one keep-alive connection with one request at a time.
"""

import socket
import sys
import threading
import time
from pathlib import Path

import msgspec

from bench.lag import InboxWatch
from bench.stores import Store
from bench.workload import Workload, bodies


class Watch(msgspec.Struct):
    """Database address for watching when batches leave the inbox."""

    name: str
    data: str
    url: str


class Order(msgspec.Struct):
    host: str
    port: int
    key: str
    load: Workload
    seconds: float  # no post starts later than this
    every: float = 0  # seconds between posts, over all clients; 0 means no pause
    watch: Watch | None = None


class Result(msgspec.Struct):
    began: float  # on the monotonic clock, which all processes of the machine share
    ended: float
    posted: list[int]  # acknowledged posts by client
    latencies: list[float]
    failures: list[str]
    lags: list[float] = []


class Client:
    def __init__(self, order: Order, number: int, watch: InboxWatch | None) -> None:
        self.latencies: list[float] = []
        self.failure = "the client ended in the middle"  # cleared at the end of a complete run
        self._order = order
        self._number = number
        self._watch = watch
        self._requests = [_request(order, body) for body in bodies(order.load, number)]
        self._connection = socket.create_connection((order.host, order.port), timeout=60)
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run(self, began: float) -> None:
        order, expected = self._order, self._order.load.batch
        for post, request in enumerate(self._requests):
            due = began + (post * order.load.clients + self._number) * order.every
            now = time.monotonic()
            if now > began + order.seconds:
                break
            if due > now and order.every:
                time.sleep(due - now)
            sent = time.monotonic()
            try:
                status, body = self._exchange(request)
            except OSError as error:
                self.failure = f"connection lost: {error}"
                return
            answered = time.monotonic()
            if status != b"202":
                self.failure = f"{status.decode()}: {body[:200].decode(errors='replace')}"
                return
            answer = msgspec.json.decode(body)
            if answer["accepted"] != expected:
                self.failure = (
                    f"accepted {answer['accepted']} of {expected}: {answer['rejected'][:1]}"
                )
                return
            self.latencies.append(answered - sent)
            if self._watch:
                # Measured from when the post was due, so waiting for the previous post counts.
                self._watch.add(answer["batch"], due if order.every else sent)
        self.failure = ""

    def _exchange(self, request: bytes) -> tuple[bytes, bytes]:
        self._connection.sendall(request)
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._more()
        head, body = received[:end].lower(), received[end + 4 :]
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        while len(body) < length:
            body += self._more()
        return head[9:12], body

    def _more(self) -> bytes:
        part = self._connection.recv(65_536)
        if not part:
            raise ConnectionResetError("closed by the server")
        return part


def _request(order: Order, body: bytes) -> bytes:
    head = (
        "POST /v1/outcomes HTTP/1.1\r\n"
        f"Host: {order.host}:{order.port}\r\n"
        f"Authorization: Bearer {order.key}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def carry_out(order: Order) -> Result:
    watch = None
    if order.watch:
        watch = InboxWatch(Store(order.watch.name, Path(order.watch.data), order.watch.url))
    clients = [Client(order, number, watch) for number in range(order.load.clients)]
    print("ready", flush=True)
    sys.stdin.readline()
    if watch:
        watch.start()
    began = time.monotonic()
    threads = [threading.Thread(target=client.run, args=(began,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = time.monotonic()
    return Result(
        began,
        ended,
        [len(client.latencies) for client in clients],
        [latency for client in clients for latency in client.latencies],
        [client.failure for client in clients if client.failure],
        watch.finish() if watch else [],
    )


if __name__ == "__main__":
    result = carry_out(msgspec.json.decode(sys.stdin.readline(), type=Order))
    print(msgspec.json.encode(result).decode(), flush=True)

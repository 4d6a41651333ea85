"""Agents that count: increments of their sessions' counters, one at a time on a kept connection.

`python -m bench.counting` reads an Order from its standard input, counts, and prints a Counted.
"""

import socket
import sys
import threading
import time

import msgspec


class Order(msgspec.Struct):
    host: str
    port: int
    key: str
    clients: int
    seconds: float


class Counted(msgspec.Struct):
    latencies: list[float]
    failures: list[str]


def count(order: Order, number: int, counted: Counted) -> None:
    connection = socket.create_connection((order.host, order.port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body = b'{"amount": 1}'
    request = (
        f"POST /v1/sessions/s:bench-{number}:attempts/increment HTTP/1.1\r\n"
        f"Host: {order.host}:{order.port}\r\n"
        f"Authorization: Bearer {order.key}\r\n"
        "X-Edictum-Agent-Id: bench\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    end = time.monotonic() + order.seconds
    with connection:
        while (began := time.monotonic()) < end:
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"}"):  # the head comes before the object
                answer += connection.recv(65_536) or b"closed }"
            if not answer.startswith(b"HTTP/1.1 200 "):
                counted.failures.append(answer[:300].decode(errors="replace"))
                return
            counted.latencies.append(time.monotonic() - began)


if __name__ == "__main__":
    order = msgspec.json.decode(sys.stdin.readline(), type=Order)
    counted = Counted([], [])
    threads = [
        threading.Thread(target=count, args=(order, number, counted))
        for number in range(order.clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(msgspec.json.encode(counted).decode(), flush=True)

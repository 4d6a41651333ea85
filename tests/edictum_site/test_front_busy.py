"""Slow requests and slow readers under the real server: they do not delay others."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.edictum_site.toy_server import Toy, until

Pending = Future[tuple[HTTPResponse, bytes]]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Toy]:
    toy = Toy(tmp_path)
    toy.ask("/echo")
    yield toy
    toy.process.kill()
    toy.process.wait()


@pytest.fixture
def slow(own: Toy) -> Iterator[Callable[..., Pending]]:
    """Send a request as this actor that blocks until `let_go`."""
    with ThreadPoolExecutor(30) as clients:
        yield lambda actor, **headers: clients.submit(own.ask, "/slow", X_Actor=actor, **headers)
        own.let_go()


def began(toy: Toy) -> int:
    return toy.events().count("slow began")


def test_slow_requests_use_at_most_half_of_the_threads(own, slow):
    pending = [slow(f"actor {number}") for number in range(8)]
    until(lambda: began(own) == 2)
    assert own.ask("/echo")[0].status == 200
    until(lambda: sum(each.done() for each in pending) == 6)
    assert began(own) == 2
    for response, body in (each.result() for each in pending if each.done()):
        assert (response.status, response.headers["Retry-After"]) == (503, "2")
        assert json.loads(body)["code"] == "busy"
    own.let_go()
    assert [each.result()[0].status for each in pending].count(200) == 2


def test_one_actor_cannot_use_all_slow_request_slots(own, slow):
    for _ in range(10):
        slow("greedy")
    until(lambda: began(own) == 1)
    slow("modest")
    until(lambda: began(own) == 2)


def test_a_slow_request_waits_for_a_slot_and_then_runs(own, slow):
    first = slow("one")
    until(lambda: began(own) == 1)
    second = slow("one")
    assert own.ask("/echo")[0].status == 200
    assert not second.done()
    own.let_go()
    assert [each.result()[0].status for each in (first, second)] == [200, 200]


def test_excess_waiting_requests_of_one_actor_are_rejected_immediately(own, slow):
    pending = [slow("greedy") for _ in range(25)]
    refused = wait(pending, return_when=FIRST_COMPLETED).done.pop()
    assert refused.result()[0].status == 503


def test_a_busy_page_reloads_itself(own, slow):
    slow("one")
    slow("two")
    until(lambda: began(own) == 2)
    response, body = slow("three", Accept="text/html").result()
    assert (response.status, response.headers["Refresh"]) == (503, "2")
    assert b"The console is busy" in body


def test_a_hanging_artifact_store_does_not_block_large_uploads(own):
    with ThreadPoolExecutor(8) as clients:
        stuck = [clients.submit(own.ask, "/stuck_file") for _ in range(8)]
        until(lambda: own.events().count("read stuck") == 4)
        body = b"x" * 3_000_000  # spooled to disk
        response, answer = own.ask("/echo", "POST", body, Authorization="Bearer large")
        assert (response.status, json.loads(answer)["length"]) == (200, len(body))
        assert not any(each.done() for each in stuck)
        own.let_go()
        assert [len(each.result()[1]) for each in stuck] == [2_000_000] * 8


def reader(toy: Toy, actor: str) -> socket.socket:
    """Reader of an endless export who reads almost nothing."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    connection.settimeout(20)
    connection.connect(toy.address)
    connection.sendall(f"GET /endless HTTP/1.1\r\nHost: a\r\nX-Actor: {actor}\r\n\r\n".encode())
    assert connection.recv(1)
    return connection


def drain(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def test_slow_export_readers_do_not_block_other_exports(own):
    readers = [reader(own, f"actor {number}") for number in range(20)]
    rows = own.ask("/rows")[1].decode().splitlines()
    assert rows == [f"{number},False" for number in range(5000)]
    for connection in readers:
        connection.close()
    until(lambda: own.events().count("endless closed") == 20)


def test_endless_exports_do_not_block_other_exports(own):
    with ThreadPoolExecutor(8) as clients:
        readers = [reader(own, f"actor {number}") for number in range(8)]
        reading = [clients.submit(drain, connection) for connection in readers]
        assert len(own.ask("/rows")[1].splitlines()) == 5000
        for connection in readers:
            connection.shutdown(socket.SHUT_RDWR)
        wait(reading)
        for connection in readers:
            connection.close()


def test_concurrent_exports_are_limited_per_actor(own):
    readers = [reader(own, "greedy") for _ in range(4)]
    response, body = own.ask("/rows", X_Actor="greedy")
    assert (response.status, json.loads(body)["code"]) == (503, "busy")
    assert own.ask("/rows", X_Actor="modest")[0].status == 200
    for connection in readers:
        connection.close()
    until(lambda: own.ask("/rows", X_Actor="greedy")[0].status == 200)


def test_an_export_continues_while_slow_requests_hang(own, slow):
    slow("one")
    slow("two")
    until(lambda: began(own) == 2)
    assert len(own.ask("/rows")[1].splitlines()) == 5000

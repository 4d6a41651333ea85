"""Slow requests and slow readers under the real server: nobody else waits for them."""

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
    """Sends what takes until `let_go`, in the name of an actor."""
    with ThreadPoolExecutor(30) as clients:
        yield lambda actor, **headers: clients.submit(own.ask, "/slow", X_Actor=actor, **headers)
        own.let_go()


def began(toy: Toy) -> int:
    return toy.events().count("slow began")


def test_slow_requests_leave_half_of_the_threads_to_others(own, slow):
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


def test_one_actor_cannot_take_all_places_of_slow_requests(own, slow):
    for _ in range(10):
        slow("greedy")
    until(lambda: began(own) == 1)
    slow("modest")
    until(lambda: began(own) == 2)


def test_a_slow_request_waits_for_its_place_and_then_runs(own, slow):
    first = slow("one")
    until(lambda: began(own) == 1)
    second = slow("one")
    assert own.ask("/echo")[0].status == 200
    assert not second.done()
    own.let_go()
    assert [each.result()[0].status for each in (first, second)] == [200, 200]


def test_more_than_a_few_waiting_requests_of_one_actor_are_refused_at_once(own, slow):
    pending = [slow("greedy") for _ in range(25)]
    refused = wait(pending, return_when=FIRST_COMPLETED).done.pop()
    assert refused.result()[0].status == 503


def test_a_busy_page_loads_itself_again(own, slow):
    slow("one")
    slow("two")
    until(lambda: began(own) == 2)
    response, body = slow("three", Accept="text/html").result()
    assert (response.status, response.headers["Refresh"]) == (503, "2")
    assert b"The console is busy" in body


def test_files_of_a_store_that_hangs_keep_no_large_body_waiting(own):
    with ThreadPoolExecutor(8) as clients:
        stuck = [clients.submit(own.ask, "/stuck_file") for _ in range(8)]
        until(lambda: own.events().count("read stuck") == 4)
        body = b"x" * 3_000_000  # goes to the disk on its way
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


def test_slow_readers_of_exports_keep_no_other_export_waiting(own):
    readers = [reader(own, f"actor {number}") for number in range(20)]
    rows = own.ask("/rows")[1].decode().splitlines()
    assert rows == [f"{number},False" for number in range(5000)]
    for connection in readers:
        connection.close()
    until(lambda: own.events().count("endless closed") == 20)


def test_fast_readers_of_endless_exports_keep_no_other_export_waiting(own):
    with ThreadPoolExecutor(8) as clients:
        readers = [reader(own, f"actor {number}") for number in range(8)]
        reading = [clients.submit(drain, connection) for connection in readers]
        assert len(own.ask("/rows")[1].splitlines()) == 5000
        for connection in readers:
            connection.shutdown(socket.SHUT_RDWR)
        wait(reading)
        for connection in readers:
            connection.close()


def test_one_actor_has_only_a_few_exports_sent_at_once(own):
    readers = [reader(own, "greedy") for _ in range(4)]
    response, body = own.ask("/rows", X_Actor="greedy")
    assert (response.status, json.loads(body)["code"]) == (503, "busy")
    assert own.ask("/rows", X_Actor="modest")[0].status == 200
    for connection in readers:
        connection.close()
    until(lambda: own.ask("/rows", X_Actor="greedy")[0].status == 200)


def test_an_export_goes_on_while_requests_never_end(own, slow):
    slow("one")
    slow("two")
    until(lambda: began(own) == 2)
    assert len(own.ask("/rows")[1].splitlines()) == 5000

"""Connections without a complete request under the real server: they are closed."""

import resource
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edictum_site.toy_server import Toy, read_all


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    """A server with a one-second timeout for request heads."""
    toy = Toy(tmp_path_factory.mktemp("toy"), EDICTUM_SITE_HEAD_SECONDS="1")
    yield toy
    toy.process.kill()
    toy.process.wait()


def connected(toy: Toy, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(toy.address, timeout=20)
    connection.sendall(sent)
    return connection


HALF_HEADS = {
    "half a line": b"GET /ec",
    "half a head": b"GET /echo HTTP/1.1\r\nHost: here\r\n",
    "line ends alone": b"\r\n\r\n",
}


@pytest.mark.parametrize("what", HALF_HEADS)
def test_an_incomplete_request_head_is_408_and_the_connection_closes(hasty, what):
    with connected(hasty, HALF_HEADS[what]) as connection:
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")


def test_an_idle_new_connection_is_closed(hasty):
    with connected(hasty) as connection:
        assert read_all(connection) == b""


def test_a_slowly_sent_request_head_is_408(hasty):
    with connected(hasty, b"GET /echo HTTP/1.1\r\n") as connection:
        connection.settimeout(0.1)
        answer = b""
        while not answer:
            connection.sendall(b"a: b\r\n")
            try:
                answer = connection.recv(100)
            except TimeoutError:
                continue
        assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("what", HALF_HEADS)
def test_the_next_request_head_on_a_connection_has_the_same_timeout(hasty, what):
    with connected(hasty, b"GET /small_file HTTP/1.1\r\nHost: here\r\n\r\n") as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        connection.sendall(HALF_HEADS[what])
        assert b"HTTP/1.1 408 " in read_all(connection)


def test_the_request_head_timeout_does_not_apply_to_slow_requests(hasty):
    with connected(hasty, b"GET /busy?2 HTTP/1.1\r\nHost: a\r\n\r\nGET /ec") as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_the_request_head_timeout_does_not_apply_to_bodies(hasty):
    head = b"POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
    with connected(hasty, head) as slow, connected(hasty) as silent:
        assert read_all(silent) == b""
        slow.sendall(b"ab")
        assert b'"length": 2' in read_all(slow)


@pytest.fixture
def few_files(tmp_path: Path) -> Iterator[Toy]:
    """A server limited to 64 open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        toy = Toy(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    toy.ask("/echo")
    yield toy
    toy.process.kill()
    toy.process.wait()


def test_the_oldest_idle_connection_is_closed_for_a_new_one(few_files):
    silent = [connected(few_files) for _ in range(60)]
    assert few_files.ask("/echo")[0].status == 200
    assert silent[0].recv(1) == b""
    for connection in silent:
        connection.close()

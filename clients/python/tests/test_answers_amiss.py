"""Responses that stall, never end or have invalid content don't block or break an agent."""

import json
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from clients.python.tests.checks_server import NULL_TOO, STATUS_400, ChecksServer, compiled
from edictum_site_client import (
    CheckUnavailable,
    Console,
    default_check,
    named_checks,
    transport,
)


@pytest.fixture
def server() -> Iterator[ChecksServer]:
    with ChecksServer() as server:
        server.save(STATUS_400, 1)
        yield server


COMPLETE = compiled(STATUS_400, 2)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


def drip(part: bytes) -> Iterator[bytes]:
    while True:
        yield part
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        (HEAD % len(COMPLETE) + COMPLETE[:200], []),
        (HEAD % len(COMPLETE) + COMPLETE[:-1], []),
        (HEAD % 1_000_000 + COMPLETE[:200], drip(b" ")),
        (b"HTTP/1.1 200 OK\r\n", drip(b"X-More: 1\r\n")),
        (b"HTTP/1.1 200", drip(b" ")),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", drip(b"1\r\n \r\n")),
        (b"\0" * 100_000, []),
        (b"", []),
    ],
    ids=[
        "half",
        "all but the end",
        "slow",
        "slow headers",
        "slow word",
        "slow chunks",
        "noise",
        "-",
    ],
)
def test_an_answer_that_stops_or_never_ends_keeps_nobody_waiting(
    head: bytes, rest: Iterable[bytes]
) -> None:
    with answering(head, rest) as url, Console(url, api_key="key", request_timeout=0.1) as console:
        check = console.check("unified", fallback=default_check)
        assert check.version is None
        assert check.last_error
        assert not check("lookup", "Error: x")


@contextmanager
def answering(head: bytes, rest: Iterable[bytes]) -> Iterator[str]:
    """Start a server that sends the same response to every client, and yield its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    with client, suppress(OSError):
                        client.recv(65_536)
                        client.sendall(head)
                        for part in rest:
                            client.sendall(part)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(60)


def test_an_answer_without_end_is_read_no_further(
    server: ChecksServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (transport, named_checks):
        monkeypatch.setattr(module, "LARGEST_FILE", 10_000)
    server.always = 200, b" " * 50_000
    with Console(server.url, api_key="key") as console, pytest.raises(CheckUnavailable) as refused:
        console.check("unified")
    assert "larger than 10,000 bytes" in str(refused.value)


def test_a_check_that_is_amiss_inside_stops_no_agent(server: ChecksServer) -> None:
    amiss = json.loads(server.versions[1])
    amiss["rules"][1]["when"] |= {"op": "starts_with", "value": None}
    server.versions[1] = json.dumps(amiss).encode()
    with Console(server.url, api_key="key") as console:
        check = console.check("unified")
        assert check("lookup", "Traceback (")
        answer = check.explain("lookup", "Traceback (")
        assert (answer.verdict, answer.rule) == ("unknown", "cannot-judge")
        assert "Version 1 cannot judge this result" in check.last_error


def test_of_two_answers_at_once_the_newer_one_stays(
    server: ChecksServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread is delayed between receiving and storing its response; another one is faster."""
    with Console(server.url, api_key="key", refresh_interval=60) as console:
        check = console.check("unified")
        held_up, go_on = threading.Event(), threading.Event()
        followed, refresher = check._followed, check._refresher
        real = followed._held

        def slowly(*args: Any) -> Any:
            if not held_up.is_set():
                held_up.set()
                go_on.wait(60)
            return real(*args)

        monkeypatch.setattr(followed, "_held", slowly)
        server.save(NULL_TOO, 2)
        first = threading.Thread(target=refresher.follow, args=(followed,))
        first.start()
        assert held_up.wait(60)
        server.save(STATUS_400, 3)
        second = threading.Thread(target=refresher.follow, args=(followed,))
        second.start()
        second.join(0.3)  # gives it time to get as far as it can
        go_on.set()
        for thread in (first, second):
            thread.join(60)
        assert check.version == 3

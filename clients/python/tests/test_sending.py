"""Sending works in batches, handles failures, and never blocks a call."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from clients.python.tests.receiver import CUT, Receiver
from edictum_site_client import Console as Client
from edictum_site_client import Masking

KEY = "edk_production_" + "k" * 32


def a_client(receiver: Receiver, **settings: Any) -> Client:
    settings = {"exit_timeout": 60.0, **settings}
    return Client(receiver.url, api_key=KEY, agent_id="bot", **settings)


def record(client: Client, *numbers: int) -> None:
    for number in numbers:
        with client.call("echo") as call:
            call.returned(number)


def outputs(receiver: Receiver) -> list[int]:
    return [item["output"] for item in receiver.items]


def test_what_is_recorded_goes_in_few_posts_with_key_and_agent(receiver: Receiver) -> None:
    client = a_client(receiver)
    receiver.open.clear()
    record(client, *range(1_000))
    receiver.open.set()
    assert client.close()
    assert sorted(outputs(receiver)) == list(range(1_000))
    assert client.delivery.sent == 1_000
    assert len(receiver.headers) <= 4
    assert receiver.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert receiver.headers[0]["X-Edictum-Agent-Id"] == "bot"
    assert receiver.headers[0]["path"] == "/v1/outcomes"


def test_it_goes_by_itself_without_anybody_asking(receiver: Receiver) -> None:
    client = a_client(receiver, flush_interval=0.01)
    record(client, 1)
    assert receiver.requests.acquire(timeout=60)
    assert client.close()
    assert outputs(receiver) == [1]


@pytest.mark.parametrize("answer", [(500, b"oops"), (429, b"slow"), (401, b"{}"), CUT, (200, b"")])
def test_what_fails_for_now_is_sent_again(receiver: Receiver, answer: tuple[int, bytes]) -> None:
    client = a_client(receiver)
    receiver.next.append(answer)
    record(client, 1, 2)
    assert client.close(timeout=60)
    assert outputs(receiver) == [1, 2]
    assert client.delivery.lost == 0


def test_a_post_that_is_refused_for_good_is_not_sent_again(receiver: Receiver) -> None:
    client = a_client(receiver)
    receiver.next.append((400, b"not that"))
    record(client, 1)
    assert client.flush(60)
    record(client, 2)
    assert client.close()
    assert outputs(receiver) == [2]
    assert client.delivery.lost == 1
    assert "not that" in client.delivery.last_error


def test_a_post_that_is_too_large_goes_in_parts(receiver: Receiver) -> None:
    client = a_client(receiver)
    receiver.next.extend([(413, b"too large"), (413, b"too large")])
    record(client, *range(8))
    assert client.close()
    assert outputs(receiver) == list(range(8))


def test_single_items_that_were_rejected_are_counted_and_named(receiver: Receiver) -> None:
    client = a_client(receiver)
    refusal = b'{"accepted": 1, "rejected": [{"index": 0, "code": "nul", "detail": "no"}]}'
    receiver.always = (202, refusal)
    record(client, 1, 2)
    assert client.close()
    assert (client.delivery.sent, client.delivery.rejected) == (1, 1)
    assert "nul: no" in client.delivery.last_error


def test_a_field_that_the_console_ignored_is_logged_once(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    client = a_client(receiver)
    warned = [{"index": 0, "field": "outputs"}, {"index": 1, "field": "outputs"}]
    receiver.always = (202, json.dumps({"accepted": 1, "warnings": warned}).encode())
    for number in range(3):
        record(client, number)
        assert client.flush(60)
    assert client.close()
    assert [entry.getMessage() for entry in caplog.records] == [
        "Edictum Site: the console ignored the unknown field 'outputs'."
    ]
    assert client.delivery.sent == 3


def test_when_too_much_waits_the_oldest_is_lost_and_counted(receiver: Receiver) -> None:
    receiver.always = (503, b"busy")
    client = a_client(receiver, max_waiting=10)
    record(client, *range(25))
    assert client.delivery.waiting <= 12
    receiver.always = (202, b"{}")
    assert client.close(timeout=60)
    assert outputs(receiver)[-1] == 24
    assert client.delivery.lost + client.delivery.sent == 25
    assert client.delivery.lost >= 13


def test_nobody_waits_for_a_console_that_does_not_answer(receiver: Receiver) -> None:
    receiver.open.clear()
    client = a_client(receiver, flush_interval=0.0)
    record(client, *range(200))
    assert client.flush(timeout=0.05) is False
    assert client.close(timeout=0.05) is False
    record(client, 1)
    assert client.delivery.lost > 0


def test_many_threads_may_record_at_once(receiver: Receiver) -> None:
    client = a_client(receiver, flush_interval=0.0)
    threads = [
        threading.Thread(target=record, args=(client, *range(first, first + 100)))
        for first in range(0, 800, 100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.close()
    assert sorted(outputs(receiver)) == list(range(800))


def test_flushing_does_not_hold_up_the_event_loop(receiver: Receiver) -> None:
    async def meanwhile() -> bool:
        async with a_client(receiver) as client:
            record(client, 1)
            receiver.open.clear()
            flushing = asyncio.create_task(client.aflush())
            await asyncio.sleep(0.01)
            receiver.open.set()
            return await flushing

    assert asyncio.run(meanwhile())
    assert outputs(receiver) == [1]


@pytest.mark.parametrize("program", ["at_exit", "forked"])
def test_what_a_process_recorded_is_sent_before_it_ends(receiver: Receiver, program: str) -> None:
    path = Path(__file__).parent / "programs" / f"{program}.py"
    source = Path(__file__).parents[1] / "src"
    env = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, "-W", "error", str(path), receiver.url]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=180)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(outputs(receiver)) == [1, 2]  # each exactly once


def test_a_key_or_an_address_that_cannot_be_is_refused_at_once() -> None:
    for url in ("ftp://host", "host:8000", "http://example.test"):
        with pytest.raises(ValueError, match=url):
            Client(url, api_key=KEY)
    with pytest.raises(ValueError, match="api_key"):
        Client("http://127.0.0.1:1", api_key="")
    Client("http://example.test", api_key=KEY, allow_insecure=True)
    assert KEY not in repr(Client("https://example.test", api_key=KEY))


def test_a_value_that_may_not_leave_is_marked_as_withheld(receiver: Receiver) -> None:
    client = a_client(receiver, masking=Masking(outputs=False, arguments=False))
    with client.call("quiet", {"a": 1}) as call:
        call.returned("secret")
    assert client.close()
    (item,) = receiver.items
    assert "output" not in item
    assert "tool_args" not in item

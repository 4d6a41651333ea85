"""A database that does not answer in time: an agent that counts is told to come again."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import connection

from edictum_site.front.environ import Scope
from edictum_site.front.sending import Send
from edictum_site.session_store import SessionStore
from outcomes.models import StoredValue
from tests import builders

HERE = "/v1/sessions/s%3Aheld%3Aexecs/increment"
OPTIONS = connection.settings_dict["OPTIONS"]


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The counter, by another; whoever waits for it gives up soon."""
    if connection.vendor == "sqlite":
        monkeypatch.setitem(OPTIONS, "timeout", 0.2)
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
        return
    with connection.get_new_connection(connection.get_connection_params()) as other:
        other.execute("UPDATE outcomes_storedvalue SET number = number")
        monkeypatch.setitem(OPTIONS, "options", "-c lock_timeout=200ms")
        yield


async def incremented(key: str, times: int) -> list[tuple[int, dict[bytes, bytes], Any]]:
    """As many at once, asked of the application before the front; the front is not to be asked."""
    body = b'{"amount": 1}'

    async def front(scope: Scope, receive: Any, send: Send) -> None:
        raise AssertionError("This goes the long way")

    async def one(store: SessionStore) -> tuple[int, dict[bytes, bytes], Any]:
        sent: list[dict[str, Any]] = []
        asked = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if asked:
                return asked.pop()
            return await asyncio.Event().wait() and {}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        headers = {b"authorization": f"Bearer {key}".encode(), b"content-length": b"13"}
        headers[b"host"] = b"localhost"
        scope = {"type": "http", "method": "POST", "raw_path": HERE.encode()}
        await store(scope | {"headers": list(headers.items())}, receive, send)
        content = b"".join(each.get("body", b"") for each in sent)
        return sent[0]["status"], dict(sent[0]["headers"]), json.loads(content)

    store = SessionStore(front)
    try:
        return await asyncio.gather(*(one(store) for _ in range(times)))
    finally:
        await store._counting.stop()
        await store._looking.stop()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("times", [1, 3])
def test_a_count_that_is_not_taken_in_time_is_told_to_come_again_and_then_counted(
    monkeypatch, times
):
    key = builders.a_key(builders.a_project(), "agent")[0]
    agent = builders.bearing(key)

    def counted() -> int:
        asked = agent.post(HERE, '{"amount": 1}', content_type="application/json")
        assert asked.status_code == 200, asked.content
        return int(asked.json()["value"])

    assert counted() == 1
    with held(monkeypatch):
        refused = asyncio.run(incremented(key, times))
    for status, headers, told in refused:
        assert (status, told["code"]) == (503, "database_unavailable")
        assert headers[b"retry-after"] == b"1"
    assert StoredValue.objects.get().number == 1
    assert counted() == 2

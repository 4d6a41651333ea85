"""A database that does not respond in time: the agent is asked to retry."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import connection

from edictum_site.front.bodies import Body
from edictum_site.session_store.quick import SessionStore
from outcomes.models import StoredValue
from tests import builders

HERE = "/v1/sessions/s%3Aheld%3Aexecs/increment"
OPTIONS = connection.settings_dict["OPTIONS"]


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lock the counter in another transaction, with a short lock timeout."""
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
    """Responses to this many concurrent increments, handled without Django."""
    content = b'{"amount": 1}'
    headers = [(b"authorization", f"Bearer {key}".encode()), (b"host", b"localhost")]
    scope = {"method": "POST", "raw_path": HERE.encode(), "headers": headers}

    async def one(store: SessionStore) -> tuple[int, dict[bytes, bytes], Any]:
        reply = await store.answer(scope, Body(len(content), [content]))
        assert reply is not None, "Django would answer this"
        assert isinstance(reply.content, bytes)
        return reply.status, dict(reply.headers), json.loads(reply.content)

    store = SessionStore()
    try:
        return await asyncio.gather(*(one(store) for _ in range(times)))
    finally:
        await store.stop()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("times", [1, 3])
def test_an_increment_that_times_out_is_503_and_succeeds_on_retry(monkeypatch, times):
    key = builders.a_key(builders.a_project(), "agent")[0]
    agent = builders.bearing(key)

    def counted() -> int:
        answer = agent.post(HERE, '{"amount": 1}', content_type="application/json")
        assert answer.status_code == 200, answer.content
        return int(answer.json()["value"])

    assert counted() == 1
    with held(monkeypatch):
        refused = asyncio.run(incremented(key, times))
    for status, headers, body in refused:
        assert (status, body["code"]) == (503, "database_unavailable")
        assert headers[b"retry-after"] == b"1"
    assert StoredValue.objects.get().number == 1
    assert counted() == 2

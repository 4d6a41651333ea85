"""If the database times out nothing is acknowledged, and the sender is asked to retry."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from outcomes.models import Batch
from tests import builders
from tests.items import an_outcome


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lock the tables that posts write to, with a short lock timeout."""
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
        turn = Path(f"{connection.settings_dict['NAME']}-turn")
        with turn.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        return
    with connection.get_new_connection(connection.get_connection_params()) as other:
        other.execute("LOCK TABLE outcomes_batch")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        yield
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


@pytest.mark.django_db(transaction=True)
def test_a_post_that_times_out_gets_503_and_is_stored_when_retried(monkeypatch):
    agent = builders.bearing(builders.a_key(builders.a_project(), "ingest")[0])
    body = {"outcomes": [an_outcome()]}
    with held(monkeypatch):
        refused = agent.post("/v1/outcomes", body, content_type="application/json")
        assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
        assert refused.headers["Retry-After"] == "1"
    assert not Batch.objects.exists()
    assert agent.post("/v1/outcomes", body, content_type="application/json").status_code == 202
    assert Batch.objects.count() == 1

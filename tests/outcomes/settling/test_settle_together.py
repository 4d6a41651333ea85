"""Concurrent workers, each with its own connection, process every item exactly once."""

import json
import threading

import pytest
from django.db import connection

from outcomes.database import IS_SERVER
from outcomes.models import Batch, Call, Event, RejectedItem
from outcomes.settling import claims as claiming
from outcomes.settling.decode import Ahead
from outcomes.settling.settle import settle_inbox
from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent, settle
from tests.recount import differences

pytestmark = pytest.mark.django_db(transaction=True)
BATCHES, ITEMS = 24, 250


def posted(batch: int) -> bytes:
    """A batch that repeats half of the calls of the previous one with more fields."""
    start = batch * ITEMS // 2
    items = [
        an_outcome(
            f"c-{n}",
            tool_name=f"tool-{n % 9}",
            agent_id=f"agent-{n % 5}",
            session_id=f"s-{n % 17}",
            output={"from": batch},
            timestamp=f"2026-11-18T06:{n % 60:02}:{batch:02}Z",
        )
        for n in range(start, start + ITEMS)
    ]
    return json.dumps({"outcomes": items}).encode()


def in_threads(*works):
    failed = []

    def run(work):
        try:
            work()
        except Exception as error:  # noqa: BLE001 - told to the test, whatever it is
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def claims_of(monkeypatch, items: int, much: int = 0) -> None:
    monkeypatch.setattr(claiming, "ITEMS", items)
    monkeypatch.setattr(claiming, "ITEMS_OF_MUCH", 0 if IS_SERVER else much)


@pytest.fixture(params=["as it is", "with claims that are soon full"])
def claims(request, monkeypatch):
    """Run with default claims, and with small ones that fill up and are prefetched."""
    if request.param != "as it is":
        claims_of(monkeypatch, 2 * ITEMS)


@pytest.mark.slow
@pytest.mark.usefixtures("claims")
def test_concurrent_workers_and_posts_lose_and_duplicate_nothing():
    text, _ = builders.a_key(builders.a_project(), "agent", "read")

    def door(first: int) -> None:
        agent = Agent(builders.bearing(text))
        for batch in range(first, BATCHES, 2):
            agent.door(posted(batch))

    def worker() -> None:
        for _ in range(400):
            settle()
            if Event.objects.count() == BATCHES * ITEMS:
                return

    in_threads(lambda: door(0), lambda: door(1), worker, worker)
    settle()
    assert not Batch.objects.exists()
    assert not RejectedItem.objects.exists()
    assert Event.objects.count() == BATCHES * ITEMS
    assert Call.objects.count() == (BATCHES + 1) * ITEMS // 2
    assert differences() == []


def test_sqlite_processes_larger_claims_when_the_backlog_is_large(monkeypatch):
    claims_of(monkeypatch, 2, much=6)
    text, _ = builders.a_key(builders.a_project(), "agent", "read")
    agent = Agent(builders.bearing(text))
    for batch in range(20):
        agent.door(json.dumps({"outcomes": [an_outcome(f"c-{batch}")]}).encode())
    settled = []
    while (items := settle_inbox()) > 0:
        settled.append(items)
    assert settled == ([6, 6, 4, 2, 2] if connection.vendor == "sqlite" else [2] * 10)
    assert Call.objects.count() == 20


def test_prefetched_batches_are_processed_as_if_they_had_not_been(monkeypatch):
    claims_of(monkeypatch, ITEMS)
    text, _ = builders.a_key(builders.a_project(), "agent", "read")
    agent = Agent(builders.bearing(text))
    for batch in range(6):
        agent.door(posted(batch))
    with Ahead() as ahead:
        assert settle_inbox(ahead) == ITEMS
        # Prefetched batches are processed by another worker, and another batch arrives.
        assert settle_inbox() == ITEMS
        agent.door(posted(6))
        while settle_inbox(ahead):
            pass
    assert Event.objects.count() == 7 * ITEMS
    assert Call.objects.count() == 8 * ITEMS // 2
    assert differences() == []


def test_an_unreadable_prefetched_batch_fails_alone(monkeypatch):
    claims_of(monkeypatch, ITEMS)
    text, _ = builders.a_key(builders.a_project(), "agent", "read")
    agent = Agent(builders.bearing(text))
    for batch in range(3):
        agent.door(posted(batch))
    broken = Batch.objects.order_by("id")[1]
    Batch.objects.filter(pk=broken.pk).update(body=b"no batch at all")
    settle()
    assert list(Batch.objects.values_list("pk", "tries")) == [(broken.pk, 1)]
    assert Event.objects.count() == 2 * ITEMS
    assert differences() == []

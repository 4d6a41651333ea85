"""The doorbell wakes the worker after a post, is rate-limited, and survives a broker outage."""

import threading

import pytest
import redis
from kombu.exceptions import OperationalError

from edictum_site.celery import BULK, INTERACTIVE, SETTLE, app
from edictum_site.tasks import FILL_DEMO
from outcomes.jobs import doorbell
from outcomes.jobs.sweep import queue_of
from outcomes.tasks import settle


class Heard:
    """Stand-in for the broker that records messages or does not respond."""

    def __init__(self, silent: int = 0, error: type[Exception] = OperationalError) -> None:
        self.silent = silent
        self.error = error
        self.messages = 0
        self.first = threading.Event()
        self.failed = threading.Event()

    def send_task(
        self, name: str, *, args: tuple[int, ...], expires: float, ignore_result: bool
    ) -> None:
        assert args == ()
        assert expires > 0
        assert ignore_result
        assert name == settle.name
        if self.silent:
            self.silent -= 1
            self.failed.set()
            raise self.error("nobody there")
        self.messages += 1
        self.first.set()


def test_a_ring_sends_a_message(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    doorbell.Doorbell().ring()
    assert heard.first.wait(60)


def test_many_rings_send_few_messages(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    for _ in range(10_000):
        bell.ring()
    assert heard.first.wait(60)
    assert heard.messages < 1_000


def test_a_ring_after_the_last_message_sends_another(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    bell.ring()
    assert heard.first.wait(60)
    heard.first.clear()
    bell.ring()
    assert heard.first.wait(60)


@pytest.mark.parametrize("error", [OperationalError, redis.TimeoutError, ConnectionError])
def test_the_doorbell_survives_a_broker_that_does_not_respond(monkeypatch, error):
    heard = Heard(silent=1, error=error)
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    bell.ring()
    assert heard.failed.wait(60)
    bell.ring()
    assert heard.first.wait(60)


def test_a_message_for_a_job_contains_its_id(monkeypatch):
    sent, first = [], threading.Event()

    def send_task(name: str, *, args: tuple[int, ...], **_: object) -> None:
        sent.append((name, args))
        first.set()

    monkeypatch.setattr(app, "send_task", send_task)
    bell = doorbell.Doorbell()
    bell.ring(doorbell.BACKTEST, 7)
    bell.ring(doorbell.BACKTEST, 7)
    assert first.wait(60)
    assert (doorbell.BACKTEST, (7,)) in sent
    assert set(sent) == {(doorbell.BACKTEST, (7,))}


def test_every_job_type_has_a_task_and_a_queue():
    app.loader.import_default_modules()
    assert doorbell.SETTLE in app.tasks
    assert queue_of(doorbell.SETTLE) == SETTLE
    queues = {
        doorbell.BACKTEST: INTERACTIVE,
        doorbell.CHECK_BACKTEST: INTERACTIVE,
        doorbell.RECLASSIFY: BULK,
        doorbell.REMOVE_SESSION: BULK,
        doorbell.SCAN: BULK,
        FILL_DEMO: BULK,
    }
    assert queues.keys() <= app.tasks.keys()
    assert {task: queue_of(task) for task in queues} == queues


def test_every_route_names_an_existing_task():
    app.loader.import_default_modules()
    assert app.conf.task_routes.keys() <= app.tasks.keys()

"""The doorbell wakes the worker after a post, seldom enough, and minds no silent broker."""

import threading

import pytest
import redis
from kombu.exceptions import OperationalError

from edictum_site.celery import app
from outcomes.jobs import doorbell
from outcomes.tasks import run_jobs, settle


class Heard:
    """Stands in for the broker, which is not ours: hears the messages, or is silent."""

    def __init__(self, silent: int = 0, error: type[Exception] = OperationalError) -> None:
        self.silent = silent
        self.error = error
        self.messages = 0
        self.first = threading.Event()
        self.failed = threading.Event()

    def send_task(self, name: str, *, expires: float, ignore_result: bool) -> None:
        assert expires > 0
        assert ignore_result
        assert name == settle.name
        if self.silent:
            self.silent -= 1
            self.failed.set()
            raise self.error("nobody there")
        self.messages += 1
        self.first.set()


def test_a_ring_is_heard(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    doorbell.Doorbell().ring()
    assert heard.first.wait(10)


def test_many_rings_are_few_messages(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    for _ in range(10_000):
        bell.ring()
    assert heard.first.wait(10)
    assert heard.messages < 1_000


def test_a_ring_after_the_last_message_is_heard_as_well(monkeypatch):
    heard = Heard()
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    bell.ring()
    assert heard.first.wait(10)
    heard.first.clear()
    bell.ring()
    assert heard.first.wait(10)


@pytest.mark.parametrize("error", [OperationalError, redis.TimeoutError, ConnectionError])
def test_a_silent_broker_is_survived(monkeypatch, error):
    heard = Heard(silent=1, error=error)
    monkeypatch.setattr(app, "send_task", heard.send_task)
    bell = doorbell.Doorbell()
    bell.ring()
    assert heard.failed.wait(10)
    bell.ring()
    assert heard.first.wait(10)


def test_jobs_are_asked_for_by_the_name_that_their_task_has(monkeypatch):
    names = []
    monkeypatch.setattr(app, "send_task", lambda name, **_: names.append(name))
    doorbell.ask_for_jobs()
    doorbell.ask_to_settle()
    assert names == [run_jobs.name, settle.name]

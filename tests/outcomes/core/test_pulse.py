"""Whether a worker lives, asked of a broker that may hang: once, and then not for a while."""

import socket
import time
from collections.abc import Iterator

import pytest
from redis import Redis

from outcomes.core import heartbeat as pulse
from tests.embedded_redis import running_redis


@pytest.fixture
def hanging(settings, monkeypatch, tmp_path) -> Iterator[socket.socket]:
    """Takes connections, as the system does for a process that is stopped, and answers none."""
    monkeypatch.setattr(pulse, "_silent_until", 0.0)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen(16)
        listener.settimeout(0)
        settings.REDIS_URL = f"unix://{tmp_path / 's'}"
        yield listener


@pytest.fixture
def answering(settings, monkeypatch, tmp_path) -> Iterator[Redis]:
    monkeypatch.setattr(pulse, "_silent_until", 0.0)
    with (
        running_redis(tmp_path) as settings.REDIS_URL,
        Redis.from_url(settings.REDIS_URL) as broker,
    ):
        yield broker


def count_requests(listener: socket.socket) -> int:
    count = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_hanging_broker_is_queried_once_and_its_state_is_unknown(hanging):
    assert [pulse.is_felt() for _ in range(20)] == [None] * 20
    assert count_requests(hanging) == 1


def test_a_hanging_broker_is_queried_again_later(hanging, monkeypatch):
    assert pulse.is_felt() is None
    monkeypatch.setattr(pulse, "_silent_until", 0.0)
    assert pulse.is_felt() is None
    assert count_requests(hanging) == 2


def test_a_worker_is_awaited_until_its_first_sign_is_due(monkeypatch):
    monkeypatch.setattr(pulse, "_was_felt", False)
    monkeypatch.setattr(pulse, "_began", time.monotonic())
    assert pulse.is_awaited()
    monkeypatch.setattr(pulse, "_began", time.monotonic() - pulse.FIRST_DUE)
    assert not pulse.is_awaited()


def test_a_worker_that_was_felt_once_is_silent_when_it_is_not(answering, monkeypatch):
    monkeypatch.setattr(pulse, "_was_felt", False)
    monkeypatch.setattr(pulse, "_began", time.monotonic())
    monkeypatch.setattr(pulse, "_given", 0.0)
    assert (pulse.is_felt(), pulse.is_awaited()) == (False, True)
    pulse.give()
    assert pulse.is_felt()
    answering.delete(pulse.KEY)
    assert (pulse.is_felt(), pulse.is_awaited()) == (False, False)


def test_a_page_reuses_the_connection(answering):
    pulse.is_felt()
    before = answering.info("stats")["total_connections_received"]
    assert [pulse.is_felt() for _ in range(20)] == [False] * 20
    assert answering.info("stats")["total_connections_received"] == before


def test_a_broker_that_returns_is_detected(answering):
    assert pulse.is_felt() is False
    answering.client_kill_filter(_type="normal", skipme=True)
    assert pulse.is_felt() is False

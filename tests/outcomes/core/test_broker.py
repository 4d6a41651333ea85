"""A broker that hangs gets one request, then none until a pause is over."""

import socket
from collections.abc import Iterator

import pytest
from redis import Redis

from outcomes.core import broker
from tests.embedded_redis import running_redis


@pytest.fixture
def hanging(settings, monkeypatch, tmp_path) -> Iterator[socket.socket]:
    """A broker that accepts connections like a stopped process, but never responds."""
    monkeypatch.setattr(broker, "_silent_until", 0.0)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen(16)
        listener.settimeout(0)
        settings.REDIS_URL = f"unix://{tmp_path / 's'}"
        yield listener


@pytest.fixture
def answering(settings, monkeypatch, tmp_path) -> Iterator[Redis]:
    monkeypatch.setattr(broker, "_silent_until", 0.0)
    with (
        running_redis(tmp_path) as settings.REDIS_URL,
        Redis.from_url(settings.REDIS_URL) as connected,
    ):
        yield connected


def count_requests(listener: socket.socket) -> int:
    count = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_hanging_broker_gets_one_request(hanging):
    assert not any(broker.is_answering() for _ in range(20))
    assert count_requests(hanging) == 1


def test_a_hanging_broker_is_tried_again_after_a_pause(hanging, monkeypatch):
    assert not broker.is_answering()
    monkeypatch.setattr(broker, "_silent_until", 0.0)
    assert not broker.is_answering()
    assert count_requests(hanging) == 2


def test_one_connection_serves_many_requests(answering):
    broker.is_answering()
    before = answering.info("stats")["total_connections_received"]
    assert all(broker.is_answering() for _ in range(20))
    assert answering.info("stats")["total_connections_received"] == before


def test_a_lost_broker_connection_is_reestablished(answering):
    assert broker.is_answering()
    answering.client_kill_filter(_type="normal", skipme=True)
    assert broker.is_answering()

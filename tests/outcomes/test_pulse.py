"""Whether a worker lives, asked of a broker that may hang: once, and then not for a while."""

import socket
from collections.abc import Iterator

import pytest

from outcomes import pulse


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


def asked(listener: socket.socket) -> int:
    count = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_broker_that_hangs_is_asked_once_and_nothing_is_known(hanging):
    assert [pulse.is_felt() for _ in range(20)] == [None] * 20
    assert asked(hanging) == 1


def test_it_is_asked_again_after_a_while(hanging, monkeypatch):
    assert pulse.is_felt() is None
    monkeypatch.setattr(pulse, "_silent_until", 0.0)
    assert pulse.is_felt() is None
    assert asked(hanging) == 2

"""After a failure requests fail fast for a while; then one of them probes for all."""

import time

import pytest

from outcomes.core.artifact_store.breaker import LONGEST_PAUSE, Breaker
from outcomes.core.artifact_store.faults import StoreAway

AWAY = StoreAway("it does not answer")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def pause_after(breaker: Breaker, clock: list[float]) -> float:
    """Seconds until the next request is allowed."""
    began = clock[0]
    while True:
        try:
            breaker.begin()
        except StoreAway:
            clock[0] += 0.125
        else:
            return clock[0] - began


def test_requests_pass_while_they_succeed(clock):
    breaker = Breaker()
    for _ in range(3):
        breaker.begin()
        breaker.worked()


def test_pauses_double_up_to_half_a_minute_until_a_request_succeeds(clock):
    breaker = Breaker()
    pauses = []
    for _ in range(9):
        breaker.failed(clock[0], AWAY)
        pauses.append(pause_after(breaker, clock))
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    breaker.worked()
    breaker.failed(clock[0], AWAY)
    assert pause_after(breaker, clock) == 0.5


def test_concurrent_failures_count_as_one(clock):
    breaker = Breaker()
    began = [breaker.begin() for _ in range(8)]
    clock[0] += 10
    for each in began:
        breaker.failed(each, AWAY)
    assert pause_after(breaker, clock) == 0.5


def test_after_a_pause_one_request_probes_and_the_others_fail(clock):
    breaker = Breaker()
    breaker.failed(clock[0], AWAY)
    clock[0] += 1
    breaker.begin()
    with pytest.raises(StoreAway, match="it does not answer"):
        breaker.begin()
    breaker.worked()
    breaker.begin()


def test_a_check_does_not_use_up_the_probe(clock):
    breaker = Breaker()
    breaker.check()
    breaker.failed(clock[0], AWAY)
    with pytest.raises(StoreAway):
        breaker.check()
    clock[0] += 1
    breaker.check()
    breaker.begin()


def test_a_probe_that_never_ends_does_not_block_requests_forever(clock):
    breaker = Breaker()
    breaker.failed(clock[0], AWAY)
    clock[0] += 1
    breaker.begin()
    assert pause_after(breaker, clock) == LONGEST_PAUSE

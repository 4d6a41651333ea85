"""The simulated queues: nothing appears or disappears, and lag is what a queue's theory says."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.queues import RETRY_AFTER, Burst, Fleet, simulate

ALLOWED = 0.2  # seconds: two steps


def test_a_steady_rate_below_what_is_settled_leaves_nothing_waiting():
    result = simulate(Fleet(door=1_000, settle=200), lambda _: 100.0, seconds=60)
    assert result.longest_lag <= ALLOWED
    assert (result.refused, result.lost) == (0, 0)
    assert result.settled == pytest.approx(6_000)


def test_a_burst_waits_as_long_as_its_surplus_takes():
    """Ten times 100 for 60 s are 60,000, of which 12,000 are settled meanwhile; 48,000 at 200/s."""
    result = simulate(Fleet(door=5_000, settle=200), Burst(100, 10), seconds=1_200)
    assert result.largest_backlog == pytest.approx(48_000, rel=0.01)
    assert result.longest_lag == pytest.approx(48_000 / 200, rel=0.01)
    assert result.drained_at == pytest.approx(120 + 48_000 / 100, rel=0.01)


def test_a_full_inbox_refuses_and_its_agents_retry():
    fleet = Fleet(door=5_000, settle=200, inbox=10_000, buffers=10**9)
    result = simulate(fleet, Burst(100, 10), seconds=1_200)
    assert result.refused > 0
    assert result.lost == 0
    assert result.largest_backlog == pytest.approx(10_000)
    assert result.settled == pytest.approx(1_200 * 100 + 60 * 900, rel=0.01)


def test_more_than_agents_hold_back_is_lost():
    fleet = Fleet(door=100, settle=100, buffers=500)
    result = simulate(fleet, lambda at: 1_000.0 if at < 10 else 0.0, seconds=30 * RETRY_AFTER)
    assert result.lost > 0
    assert result.settled + result.lost == pytest.approx(10_000)


def test_a_shard_with_more_than_its_share_waits_longer_than_equal_ones():
    fleet = Fleet(door=5_000, settle=60, shards=4)
    equal = simulate(fleet, Burst(100, 5), seconds=1_200)
    uneven = simulate(fleet, Burst(100, 5), seconds=1_200, shares=[0.4, 0.2, 0.2, 0.2])
    assert uneven.longest_lag > equal.longest_lag * 1.5


def test_jobs_take_their_part_of_each_shard():
    fleet = Fleet(door=1_000, settle=120)
    assert simulate(fleet, lambda _: 100.0, seconds=300).drained_at is not None
    assert simulate(fleet, lambda _: 100.0, seconds=300, bulk=0.5).drained_at is None


def test_equal_shards_add_up_to_one_that_is_as_large():
    """Refused and lost, too: half of the room of an inbox each, and the same burst for both."""
    large = Fleet(door=5_000, settle=200, inbox=10_000, buffers=20_000)
    halves = replace(large, settle=100, shards=2, inbox=5_000)
    one, two = (simulate(each, Burst(100, 10), seconds=1_200) for each in (large, halves))
    assert two.lost == pytest.approx(one.lost)
    assert two.refused == pytest.approx(one.refused)
    assert two.settled == pytest.approx(one.settled)
    assert two.lost > 0


def test_shares_are_one_per_shard():
    with pytest.raises(ValueError, match="2 shares for 3 shards"):
        simulate(Fleet(1, 1, shards=3), lambda _: 1.0, seconds=1, shares=[0.5, 0.5])


@settings(max_examples=30, deadline=None)
@given(
    base=st.floats(1, 500), times=st.floats(1, 20), settle=st.floats(1, 800),
    inbox=st.floats(10, 10_000), buffers=st.floats(0, 5_000),
)  # fmt: skip
def test_every_outcome_is_settled_waits_or_is_lost(base, times, settle, inbox, buffers):
    fleet = Fleet(door=2_000, settle=settle, inbox=inbox, buffers=buffers)
    posted, seconds = Burst(base, times, begins=5, lasts=5), 30
    sent = sum(posted(number * 0.1) * 0.1 for number in range(seconds * 10))
    result = simulate(fleet, posted, seconds=seconds)
    left = sent - result.settled - result.lost
    assert -1e-3 <= left <= inbox + buffers + 2_000

"""Durations in buckets: percentiles within one percent, and exact sums."""

from collections import Counter
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.core.durations import Pile, bucket_of, middle_of, pack, percentile

measured = st.floats(0.001, 1e12)
counted = st.dictionaries(st.integers(0, 2_000), st.integers(1, 2**33), max_size=40)


@given(measured)
def test_a_bucket_represents_a_duration_within_one_percent(elapsed):
    assert middle_of(bucket_of(elapsed)) == pytest.approx(elapsed, rel=0.0101)


@given(st.floats(-1, 1e300), st.floats(-1, 1e300))
def test_buckets_are_in_order_of_duration(one, other):
    shorter, longer = sorted([one, other])
    assert 0 <= bucket_of(shorter) <= bucket_of(longer) < 2**16


def test_a_measured_zero_has_its_own_bucket():
    assert middle_of(bucket_of(0)) == 0
    assert middle_of(bucket_of(1e-9)) > 0


@given(st.lists(measured | st.just(0.0), min_size=1, max_size=50), st.sampled_from([50, 95, 99]))
def test_a_percentile_uses_the_nearest_rank(durations, percent):
    nearest = sorted(durations)[ceil(len(durations) * percent / 100) - 1]
    measured = percentile(Counter(bucket_of(duration) for duration in durations), percent)
    assert measured == pytest.approx(nearest, rel=0.0101)


def test_without_measurements_there_is_no_percentile():
    assert percentile({}, 50) is None


@given(st.lists(counted, max_size=6))
def test_packed_counts_add_up_exactly(several):
    pile, total = Pile(), Counter[int]()
    for piece in several:
        pile.add(pack(piece))
        total.update(piece)
    assert +pile.buckets() == total
    again = Pile()
    again.add(pack(total))
    assert +again.buckets() == total


def test_packed_counters_are_flushed_before_they_overflow():
    most = {1_000: 2**32 - 1, 1_001: 0}
    pile = Pile()
    for _ in range(3):
        pile.add(pack(most))
        pile.count(1_001, 1)
    assert pile.buckets() == {1_000: 3 * (2**32 - 1), 1_001: 3}


@given(counted, st.data())
def test_subtracted_counts_are_removed(counts, data):
    less = {bucket: -data.draw(st.integers(0, calls)) for bucket, calls in counts.items()}
    pile = Pile()
    pile.add(pack(counts))
    pile.add(pack(less))
    assert +pile.buckets() == +Counter(
        {bucket: calls + less[bucket] for bucket, calls in counts.items()}
    )

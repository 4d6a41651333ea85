"""The slowest calls, located by duration buckets of time ranges."""

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from outcomes.core.durations import bucket_of, least_of
from outcomes.tools.domain.slowest import Stretch, joined, stretches_to_read

CALLS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0, 3.0, 3.01, 40.0, 900.0, 3e4])),
    max_size=60,
)


def counted(calls):
    result: dict[Stretch, Counter[int]] = {}
    for place, took in calls:
        stretch = Stretch(place * 15, place * 15 + 15)
        result.setdefault(stretch, Counter())[bucket_of(took)] += 1
    return result


@given(calls=CALLS, most=st.integers(1, 12))
def test_the_stretches_to_read_contain_the_slowest_calls(calls, most):
    worth = stretches_to_read(counted(calls), most, room=10_000)
    looked = [
        took
        for place, took in calls
        if Stretch(place * 15, place * 15 + 15) in worth.stretches and took >= least_of(worth.least)
    ]
    assert sorted(looked, reverse=True)[:most] == sorted([t for _, t in calls], reverse=True)[:most]
    assert worth.is_all


@given(calls=CALLS, most=st.integers(1, 12), room=st.integers(0, 40))
@example(calls=[(0, 3e4), (0, 900.0), (0, 900.0), (0, 900.0), (1, 3e4)], most=3, room=4)
def test_with_little_room_earlier_stretches_of_equal_durations_are_omitted(calls, most, room):
    worth = stretches_to_read(counted(calls), most, room)
    complete = stretches_to_read(counted(calls), most, 10_000)
    left_out = set(complete.stretches) - set(worth.stretches)
    assert worth.is_all == (not left_out)
    result = sum(
        bucket_of(took) >= worth.least
        for place, took in calls
        if Stretch(place * 15, place * 15 + 15) in worth.stretches
    )
    assert result >= min(most, len(calls))
    only_equal = {each for each, buckets in counted(calls).items() if max(buckets) == worth.least}
    assert left_out <= only_equal
    assert all(each < stored for each in left_out for stored in only_equal & set(worth.stretches))


def test_without_measured_durations_nothing_is_read():
    assert stretches_to_read({}, 10, 100).stretches == []


def test_adjacent_stretches_are_joined():
    assert joined([Stretch(0, 15), Stretch(15, 30), Stretch(45, 60)]) == [
        Stretch(0, 30),
        Stretch(45, 60),
    ]

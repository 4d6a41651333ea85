"""Sampling of many changed calls: the first ones, then some of each group, up to a limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.recorded_calls import domain as keeping
from outcomes.recorded_calls.domain import Changed, ChangedCallSample

NAMES = st.sampled_from("abc")


def changed(number, rule="r", tool="t", agent="g", session="", change="newly_denied"):
    return Changed(number, 0, change, rule, "allowed", "", "denied", rule, "allow", tool, agent,
                   session)  # fmt: skip


def sample_of(calls, *, first, of_group, most):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("FIRST", first), ("OF_GROUP", of_group), ("MOST", most)):
            patch.setattr(keeping, name, value)
        stored = ChangedCallSample()
        for call in calls:
            stored.offer(call)
        return stored


def test_a_small_number_of_calls_is_stored_completely_and_in_order():
    calls = [changed(number) for number in range(7)]
    assert sample_of(calls, first=7, of_group=0, most=7).calls == calls


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NAMES)), st.integers(0, 5), st.integers(1, 3))
def test_every_group_has_its_minimum_number_of_samples(answer, first, of_group):
    calls = [changed(number, *names) for number, names in enumerate(answer)]
    stored = sample_of(calls, first=first, of_group=of_group, most=1_000).calls
    assert stored[:first] == calls[:first]
    for field in ("behind", "tool", "agent", "session"):
        for name in "abc":
            number = sum(getattr(call, field) == name for call in calls)
            assert sum(getattr(call, field) == name for call in stored) >= min(number, of_group)


@given(st.integers(0, 30), st.integers(0, 9))
def test_the_sample_size_is_bounded(number, most):
    calls = [changed(each, rule=str(each)) for each in range(number)]
    assert len(sample_of(calls, first=3, of_group=2, most=most)) == min(number, most)

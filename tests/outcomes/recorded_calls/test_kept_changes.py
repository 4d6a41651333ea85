"""Of many changed calls the first are kept, then some of each group, and never too many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.recorded_calls import domain as keeping
from outcomes.recorded_calls.domain import Changed, Kept

NAMES = st.sampled_from("abc")


def changed(number, rule="r", tool="t", agent="g", session="", change="newly_denied"):
    return Changed(number, 0, change, rule, "allowed", "", "denied", rule, "allow", tool, agent,
                   session)  # fmt: skip


def kept_of(calls, *, first, of_group, most):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("FIRST", first), ("OF_GROUP", of_group), ("MOST", most)):
            patch.setattr(keeping, name, value)
        kept = Kept()
        for call in calls:
            kept.offer(call)
        return kept


def test_few_calls_are_all_kept_in_their_order():
    calls = [changed(number) for number in range(7)]
    assert kept_of(calls, first=7, of_group=0, most=7).calls == calls


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NAMES)), st.integers(0, 5), st.integers(1, 3))
def test_every_group_has_its_share(told, first, of_group):
    calls = [changed(number, *names) for number, names in enumerate(told)]
    kept = kept_of(calls, first=first, of_group=of_group, most=1_000).calls
    assert kept[:first] == calls[:first]
    for field in ("behind", "tool", "agent", "session"):
        for name in "abc":
            number = sum(getattr(call, field) == name for call in calls)
            assert sum(getattr(call, field) == name for call in kept) >= min(number, of_group)


@given(st.integers(0, 30), st.integers(0, 9))
def test_there_is_an_end_to_it(number, most):
    calls = [changed(each, rule=str(each)) for each in range(number)]
    assert len(kept_of(calls, first=3, of_group=2, most=most)) == min(number, most)

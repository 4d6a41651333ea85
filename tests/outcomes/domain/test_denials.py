"""What denied calls add up to."""

from hypothesis import given
from hypothesis import strategies as st

from outcomes.domain.denials import Alike, Denials, DeniedAlike, Rule

STEPS = 3
RULES = st.builds(
    Rule, st.sampled_from(["", "no-rm", "limits"]), st.sampled_from(["", "ops"]), st.integers(0, 2)
)
ALIKE = st.builds(
    Alike,
    st.sampled_from(["contract", "limit", "blocked"]),
    RULES,
    st.sampled_from(["shell", "reply"]),
    st.sampled_from(["one", "two"]),
)
FOUND = st.lists(
    st.builds(DeniedAlike, ALIKE, st.none() | st.integers(0, STEPS - 1), st.integers(1, 9))
)


def test_of_nothing_there_are_no_lines_and_every_step_is_empty():
    nothing = Denials(STEPS, [])
    assert nothing.whole.calls == nothing.whole.before == 0
    assert nothing.whole.steps == [0, 0, 0]
    assert not nothing.by_reason
    assert not nothing.by_rule


@given(FOUND)
def test_each_way_of_counting_adds_up_to_all_that_was_denied(found):
    denials = Denials(STEPS, found)
    whole = denials.whole
    assert whole.calls == sum(each.calls for each in found if each.step is not None)
    assert whole.before == sum(each.calls for each in found if each.step is None)
    for sums in (denials.by_reason, denials.by_tool, denials.by_agent):
        assert sum(each.calls for each in sums.values()) == whole.calls
        assert sum(each.before for each in sums.values()) == whole.before
        steps = [sum(each) for each in zip(*(one.steps for one in sums.values()), strict=True)]
        assert (steps or [0] * STEPS) == whole.steps
    without_rule = sum(
        each.calls for each in found if each.step is not None and not each.alike.rule.name
    )
    by_rule = sum(each.calls for each in denials.by_rule.values())
    assert by_rule + without_rule == whole.calls


@given(FOUND)
def test_the_most_frequent_comes_first(found):
    calls = [each.calls for each in Denials(STEPS, found).by_reason.values()]
    assert calls == sorted(calls, reverse=True)

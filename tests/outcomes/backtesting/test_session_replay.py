"""Replay of sessions under different limits."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
)
from governance.core.verdict import Verdict
from outcomes.backtesting.domain.comparison import LET_THROUGH, Answer, Decision, Recorded
from outcomes.backtesting.domain.session_replay import SessionReplay
from outcomes.record.session_step import Step
from outcomes.recorded_calls.domain import Change

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ALLOW, DENY, ASK = Answer(), Answer(Decision.DENIED, "a"), Answer(Decision.NEEDS_APPROVAL, "a")
RAN = Step(kind="execution_result", tool="t", verdict=Verdict.SUCCESS, reported=Verdict.SUCCESS)
FAILED = Step(kind="failure", tool="t", verdict=Verdict.FAILURE, reported=Verdict.SUCCESS)
STOPPED = Step(kind="denied", tool="t", reason="limit", rule="max_tool_calls")
BY_LIMIT = Recorded(Decision.DENIED, "max_tool_calls", by_limit=True)
SAME, NEW = Change.UNCHANGED, Change.NEWLY_DENIED
LOST, FREE = Change.UNDETERMINED, Change.NEWLY_ALLOWED


def replayed(limits, *calls):
    """Change of each call: (step, recorded, answer)."""
    replay = SessionReplay(limits)
    return [replay.replay(*call).change for call in calls], replay.stops()


def ran(times):
    return [(RAN, LET_THROUGH, ALLOW)] * times


def test_a_lower_limit_stops_the_session_and_later_calls_are_undetermined():
    changes, _ = replayed((MaxExecutions(3),), *ran(6))
    assert changes == [SAME, SAME, SAME, NEW, LOST, LOST]


def test_a_limit_on_attempts_allows_one_call_fewer():
    changes, _ = replayed((MaxAttempts(3),), *ran(4))
    assert changes == [SAME, SAME, NEW, LOST]


def test_a_tool_limit_counts_only_that_tool():
    other = Step(kind="execution_result", tool="u", verdict=Verdict.SUCCESS)
    calls = [(RAN, LET_THROUGH, ALLOW), (other, LET_THROUGH, ALLOW)] * 3
    changes, _ = replayed((MaxExecutionsOfTool("t", 2),), *calls)
    assert changes == [SAME, SAME, SAME, SAME, NEW, SAME]


def test_a_higher_limit_allows_calls_that_were_stopped():
    calls = [*ran(3), *[(STOPPED, BY_LIMIT, ALLOW)] * 3]
    changes, _ = replayed((MaxExecutions(5),), *calls)
    assert changes == [SAME, SAME, SAME, FREE, FREE, SAME]


def test_the_same_limit_changes_nothing():
    calls = [*ran(3), *[(STOPPED, BY_LIMIT, ALLOW)] * 3]
    assert set(replayed((MaxExecutions(3),), *calls)[0]) == {SAME}


def test_after_a_newly_denied_call_only_limit_denials_are_undetermined():
    calls = [(RAN, LET_THROUGH, DENY), *ran(2), (RAN, LET_THROUGH, ASK), *ran(1)]
    changes, _ = replayed((MaxExecutions(2),), *calls)
    assert changes == [NEW, SAME, SAME, Change.NEWLY_ASKING, LOST]


def test_a_recorded_stop_is_undetermined_after_a_newly_denied_call():
    calls = [(RAN, LET_THROUGH, DENY), (STOPPED, BY_LIMIT, ALLOW), (STOPPED, BY_LIMIT, DENY)]
    assert replayed((MaxExecutions(9),), *calls)[0] == [NEW, LOST, Change.CHANGED]


def test_a_call_denied_by_a_rule_is_not_counted_as_an_execution():
    calls = [(RAN, Recorded(Decision.DENIED, "a"), DENY), *ran(2)]
    assert replayed((MaxExecutions(2),), *calls)[0] == [SAME, SAME, SAME]


def test_the_three_counts_hit_the_limit_at_different_calls():
    calls = [(FAILED, LET_THROUGH, ALLOW)] * 3 + ran(3)
    _, stops = replayed((MaxExecutions(3),), *calls)
    assert stops == [{"executions": 3, "reported": 3, "classified": 0}]


def test_sdk_default_limits_apply_only_to_calls_from_the_sdk():
    limit = MaxExecutions(1, assumed=True)
    theirs = Step(kind="execution_result", tool="t", verdict=Verdict.SUCCESS, from_sdk=True)
    assert replayed((limit,), *ran(3))[0] == [SAME, SAME, SAME]
    assert replayed((limit,), *[(theirs, LET_THROUGH, ALLOW)] * 2)[0] == [SAME, NEW]


def test_calls_that_are_not_replayed_are_counted_as_recorded():
    replay = SessionReplay((MaxExecutions(2),))
    replay.pass_by(RAN)
    replay.pass_by(STOPPED)
    assert replay.replay(RAN, LET_THROUGH, ALLOW).change is SAME
    assert replay.replay(RAN, LET_THROUGH, ALLOW).change is NEW


CALLS = st.sampled_from(
    [
        (step, recorded, answer)
        for step, recorded in [
            (RAN, LET_THROUGH),
            (FAILED, LET_THROUGH),
            (STOPPED, BY_LIMIT),
            (Step(kind="", tool="t"), LET_THROUGH),
            (Step(kind="denied", tool="t", reason="contract"), Recorded(Decision.DENIED, "a")),
            (
                Step(kind="denied", tool="t", reason="approval"),
                Recorded(Decision.NEEDS_APPROVAL, "a"),
            ),
        ]
        for answer in [ALLOW, DENY, ASK]
    ]
)
LIMITS = st.lists(
    st.builds(MaxAttempts, st.integers(1, 5))
    | st.builds(MaxExecutions, st.integers(0, 5))
    | st.builds(MaxExecutionsOfTool, st.just("t"), st.integers(0, 5)),
    max_size=3,
)


@UNTIMED
@given(LIMITS, st.lists(CALLS, max_size=12))
def test_nothing_is_undetermined_before_a_newly_denied_call(limits, calls):
    changes, _ = replayed(limits, *calls)
    assert len(changes) == len(calls)
    before = changes[: changes.index(NEW)] if NEW in changes else changes
    assert LOST not in before


@UNTIMED
@given(LIMITS, st.lists(CALLS, max_size=12))
def test_the_fast_path_counts_like_a_full_replay(limits, calls):
    quick, replayed_fully = SessionReplay(limits), SessionReplay(limits)
    for step, recorded, answer in calls:
        result = replayed_fully.replay(step, recorded, answer)
        if recorded is LET_THROUGH and answer is ALLOW and quick.passes(step):
            assert result.change is SAME
        else:
            assert quick.replay(step, recorded, answer) == result
    assert quick.stops() == replayed_fully.stops()


@UNTIMED
@given(st.lists(CALLS, max_size=12))
def test_without_limits_every_call_is_decided_independently(calls):
    alone = [replayed((), call)[0][0] for call in calls]
    together, _ = replayed((), *calls)
    of_limit = [recorded.by_limit and answer is ALLOW for _, recorded, answer in calls]
    pairs = zip(zip(alone, together, strict=True), of_limit, strict=True)
    listed = [pair for pair, limited in pairs
            if not limited]  # fmt: skip
    assert all(one == other for one, other in listed)


@pytest.mark.parametrize("answer", [ALLOW, DENY, ASK])
def test_an_open_call_is_not_an_execution(answer):
    replay = SessionReplay((MaxExecutions(1),))
    replay.replay(Step(kind="", tool="t"), LET_THROUGH, answer)
    replay.pass_by(RAN)
    assert replay.replay(RAN, LET_THROUGH, ALLOW).ruling.by_limit

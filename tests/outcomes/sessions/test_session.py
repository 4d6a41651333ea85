"""A session counted call by call equals the session counted at once."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.core.session_limits import MaxAttempts, limits_of, read_limit
from governance.core.verdict import Verdict
from outcomes.record.classification import effective
from outcomes.record.session_step import Step
from outcomes.sessions.domain.session import MOST_NAMES, OTHERS, SessionTally

SUCCESS, FAILURE, UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN


def ran(classified=None, reported=None, *, kind="execution_result", tool="query", **fields):
    verdict, _ = effective("execution_result", classified, reported, is_bound=True, own_check=False)
    checked = classified is not None
    return Step(kind=kind, tool=tool, verdict=verdict, reported=reported, checked=checked, **fields)


def denied(reason="limit", rule=None, tool="query", **fields):
    return Step(kind="denied", tool=tool, reason=reason, rule=rule, **fields)


OPEN = Step(kind=None, tool="query")


def a_tally(steps, limits=(), earlier=None):
    tally = SessionTally(limits, earlier)
    for step in steps:
        tally.advance(step)
    return tally


def capped(**limits: Any):
    rule: Any = {"id": "cap", "limits": limits}
    return limits_of([rule])


@pytest.mark.parametrize(
    ("step", "counts"),
    [
        (ran(SUCCESS), {"executions": 1, "successes": 1}),
        (ran(FAILURE, SUCCESS), {"executions": 1, "failures": 1, "consecutive_failures": 1}),
        (ran(UNKNOWN, SUCCESS), {"executions": 1, "unknown": 1}),
        (ran(None, SUCCESS), {"executions": 1, "successes": 1}),
        (ran(), {"executions": 1, "unknown": 1}),
        (
            ran(FAILURE, kind="timeout"),
            {"executions": 1, "failures": 1, "consecutive_failures": 1},
        ),
        (
            ran(FAILURE, kind="failure"),
            {"executions": 1, "failures": 1, "consecutive_failures": 1},
        ),
        (ran(SUCCESS, kind="artifact_reference"), {"executions": 1, "successes": 1}),
        (denied(), {"denied": 1}),
        (OPEN, {"open": 1}),
    ],
    ids=[
        "success",
        "silent failure",
        "unknown",
        "reported success",
        "nothing known",
        "timeout",
        "failure",
        "artifact",
        "denied",
        "open",
    ],
)
def test_a_call_is_counted_by_its_outcome(step, counts):
    counted = a_tally([step]).counts()
    numbers = {name: value for name, value in counted.items() if isinstance(value, int)}
    assert {name: value for name, value in numbers.items() if value} == {"attempts": 1} | counts


def test_executions_and_successes_are_counted_by_tool():
    steps = [ran(SUCCESS), ran(FAILURE), ran(FAILURE, tool="send"), denied(tool="drop")]
    counts = a_tally(steps).counts()
    assert counts["executions_by_tool"] == {"query": 2, "send": 1}
    assert counts["successes_by_tool"] == {"query": 1, "send": 0}


@pytest.mark.parametrize(
    ("steps", "failures"),
    [
        ([ran(FAILURE), ran(FAILURE)], 2),
        ([ran(FAILURE), ran(SUCCESS)], 0),
        ([ran(FAILURE), denied(), OPEN, ran(UNKNOWN)], 1),
        ([ran(SUCCESS), ran(FAILURE), denied(), ran(FAILURE)], 2),
    ],
    ids=["in a row", "ended by a success", "left as they were", "across a denial"],
)
def test_consecutive_failures_are_reset_by_a_success(steps, failures):
    assert a_tally(steps).consecutive_failures == failures


def test_denials_are_counted_by_reason_and_disagreements_in_total():
    reasons = ["duplicate", "blocked", "pre_hook", "validation", "deadline", "write_denied"]
    tally = a_tally(
        [
            *(denied(reason) for reason in [*reasons, "limit", "limit"]),
            ran(FAILURE, SUCCESS),
            ran(SUCCESS, FAILURE),
            ran(UNKNOWN, SUCCESS),
            ran(None, SUCCESS),
        ]
    )
    assert tally.denials == dict.fromkeys(reasons, 1) | {"limit": 2}
    assert tally.disagreements == 2


def test_silent_failures_cause_a_limit_to_be_hit_early():
    steps = [ran(FAILURE, SUCCESS)] * 7 + [ran(SUCCESS, SUCCESS)] * 43 + [denied(rule="cap")]
    (use,) = a_tally(steps, capped(max_tool_calls=50)).limits()
    assert use.used == {"executions": 50, "reported": 50, "classified": 43}
    assert use.reached_at == {"executions": 50, "reported": 50, "classified": None}
    assert (use.stopped_at, use.judgement) == (51, "premature")


def test_false_alarms_cause_a_limit_to_be_hit_late():
    """An agent that counts only reported successes continues after it has hit the limit."""
    steps = [ran(SUCCESS, FAILURE)] * 2 + [ran(SUCCESS, SUCCESS)] * 3 + [denied(rule="cap")]
    (use,) = a_tally(steps, capped(max_tool_calls=3)).limits()
    assert use.reached_at == {"executions": 3, "reported": 5, "classified": 3}
    assert (use.stopped_at, use.judgement) == (6, "delayed")


def test_limits_refer_to_calls_by_their_number_among_all_calls():
    steps = [denied("contract"), OPEN, ran(SUCCESS, SUCCESS), denied(rule="cap")]
    (use,) = a_tally(steps, capped(max_tool_calls=1)).limits()
    assert use.reached_at == {"executions": 3, "reported": 3, "classified": 3}
    assert use.stopped_at == 4


def test_attempts_count_every_call_including_the_one_denied_by_the_limit():
    steps = [ran(SUCCESS), denied("contract"), denied(rule="max_attempts")]
    (use,) = a_tally(steps, capped(max_attempts=3)).limits()
    assert (use.used, use.reached_at) == ({"attempts": 3}, {"attempts": 3})
    assert (use.stopped_at, use.judgement) == (3, None)


def test_a_tool_limit_counts_the_tool_by_its_exact_name():
    limits = capped(max_calls_per_tool={"query": 1, "que*": 1})
    for_query, for_glob = a_tally([ran(SUCCESS), ran(SUCCESS, tool="send")], limits).limits()
    assert for_query.used["executions"] == 1
    assert for_glob.used["executions"] == 0


def test_unchecked_calls_count_as_reported_and_the_limit_is_not_rated_early_or_late():
    steps = [ran(None, SUCCESS)] * 2 + [denied(rule="cap")]
    (use,) = a_tally(steps, capped(max_tool_calls=2)).limits()
    assert use.used == {"executions": 2, "reported": 2, "classified": 2}
    assert use.judgement is None
    assert not use.checked


def test_sdk_limits_apply_only_to_calls_from_the_sdk():
    limits = limits_of([], assume_sdk=True)
    assert a_tally([ran(SUCCESS)] * 201, limits).limits() == []
    mixed = [ran(SUCCESS), *[ran(None, SUCCESS, from_sdk=True)] * 200]
    attempts, executions = a_tally(mixed, limits).limits()
    assert attempts.used == {"attempts": 200}
    assert executions.reached_at["executions"] == 201
    assert executions.limit.assumed


class TestEarlierVersions:
    """The contract's limit changes during the session."""

    EARLIER, NOW = 1, 2
    OLD = capped(max_tool_calls=2)
    NEW = capped(max_tool_calls=4)

    def uses(self, steps):
        return [
            (use.limit.value, use.stopped_at)
            for use in a_tally(steps, self.NEW, {self.EARLIER: self.OLD}).limits()
        ]

    def test_a_limit_that_stopped_nothing_is_dropped_with_its_version(self):
        assert self.uses([ran(SUCCESS, version=self.EARLIER)] * 3) == [(4, None)]

    def test_a_limit_named_by_a_denial_is_listed_with_the_current_one(self):
        stopped = denied(rule="cap", version=self.EARLIER)
        steps = [*[ran(SUCCESS, version=self.EARLIER)] * 2, stopped, ran(SUCCESS, version=self.NOW)]
        assert self.uses(steps) == [(4, None), (2, 3)]

    def test_a_denial_under_the_current_version_belongs_to_its_own_limit(self):
        steps = [*[ran(SUCCESS, version=self.NOW)] * 4, denied(rule="cap", version=self.NOW)]
        assert self.uses(steps) == [(4, 5)]

    def test_a_limit_unchanged_between_versions_is_listed_once(self):
        stopped = denied(rule="cap", version=self.EARLIER)
        tally = a_tally([ran(SUCCESS), stopped], self.NEW, {self.EARLIER: self.NEW})
        assert [use.stopped_at for use in tally.limits()] == [2]


tools = st.sampled_from(["query", "send"])
verdicts = st.sampled_from([None, *Verdict])
steps = st.one_of(
    st.builds(ran, verdicts, verdicts, tool=tools, from_sdk=st.booleans()),
    st.builds(
        denied,
        st.sampled_from(["limit", "contract"]),
        st.sampled_from([None, "cap", "max_tool_calls", "max_calls_per_tool:send"]),
        tools,
        from_sdk=st.booleans(),
    ),
    st.just(OPEN),
)
limits = st.builds(
    limits_of,
    st.lists(
        st.builds(
            lambda **limits: {"id": "cap", "limits": limits},
            max_attempts=st.integers(1, 12),
            max_tool_calls=st.integers(1, 8),
            max_calls_per_tool=st.dictionaries(tools, st.integers(1, 5), max_size=2),
        ),
        max_size=2,
    ),
)


@given(st.lists(steps, max_size=25))
def test_incremental_counts_equal_a_full_count(session):
    tally = a_tally(session)
    executed = [step for step in session if step.kind not in (None, "denied")]
    by_verdict = Counter(step.verdict for step in executed)
    since = [step.verdict for step in executed]
    if SUCCESS in since:
        since = since[len(since) - since[::-1].index(SUCCESS) :]
    assert tally.counts() == {
        "attempts": len(session),
        "executions": len(executed),
        "successes": by_verdict[SUCCESS],
        "failures": by_verdict[FAILURE],
        "unknown": by_verdict[UNKNOWN],
        "denied": sum(step.kind == "denied" for step in session),
        "open": sum(step.kind is None for step in session),
        "consecutive_failures": since.count(FAILURE),
        "executions_by_tool": Counter(step.tool for step in executed),
        "successes_by_tool": {
            tool: sum(step.verdict is SUCCESS for step in executed if step.tool == tool)
            for tool in {step.tool for step in executed}
        },
    }
    assert tally.denials == Counter(step.reason for step in session if step.kind == "denied")


@given(limits, st.lists(steps, max_size=25))
@settings(max_examples=150)
def test_each_incremental_limit_equals_a_full_evaluation(limits, session):
    numbered = list(enumerate(session, start=1))
    for use in a_tally(session, limits).limits():
        limit = use.limit
        counted = [
            (number, step)
            for number, step in numbered
            if isinstance(limit, MaxAttempts)
            or (step.kind not in (None, "denied") and limit.tool in (None, step.tool))
        ]
        reading = read_limit(
            limit,
            reported=[step.reported for _, step in counted],
            classified=[step.verdict for _, step in counted],
        )

        def number_of(place, counted=counted):
            return None if place is None else counted[place - 1][0]

        if isinstance(limit, MaxAttempts):
            assert use.used == {"attempts": len(session)}
            assert use.reached_at == {"attempts": number_of(reading.by_execution)}
            continue
        assert use.used == {
            "executions": len(counted),
            "reported": sum(step.reported is SUCCESS for _, step in counted),
            "classified": sum(step.verdict is SUCCESS for _, step in counted),
        }
        assert use.reached_at == {
            "executions": number_of(reading.by_execution),
            "reported": number_of(reading.by_reported),
            "classified": number_of(reading.by_classified),
        }
        assert use.judgement == judged_at_once(use, [number for number, _ in counted], counted)


def judged_at_once(use, numbers, counted):
    if not any(step.checked for _, step in counted):
        return None
    if use.stopped_at is None and set(use.reached_at.values()) == {None}:
        return None
    due = use.reached_at["classified"]
    if use.stopped_at is not None and due not in range(1, use.stopped_at + 1):
        return "premature"
    return "delayed" if due is not None and due < numbers[-1] else "right"


@given(limits, st.lists(steps, max_size=25), st.data())
@settings(max_examples=150)
def test_a_session_continues_from_its_stored_state(limits, session, data):
    border = data.draw(st.integers(0, len(session)))
    earlier = {7: limits_of([{"id": "cap", "limits": {"max_tool_calls": 2}}])}
    state = json.loads(json.dumps(a_tally(session[:border], limits, earlier).state()))
    resumed = SessionTally.resumed(state, limits, earlier)
    assert resumed is not None
    for step in session[border:]:
        resumed.advance(step)
    at_once = a_tally(session, limits, earlier)
    assert resumed.state() == at_once.state()
    assert resumed.limits() == at_once.limits()


@pytest.mark.parametrize(
    ("limits", "earlier"),
    [
        (capped(max_tool_calls=6), None),
        (limits_of([{"id": "renamed", "limits": {"max_tool_calls": 5}}]), None),
        ((), None),
        (capped(max_tool_calls=5), {1: capped(max_tool_calls=2)}),
    ],
    ids=["another value", "another rule", "no limits", "an earlier version"],
)
def test_a_stored_state_with_other_limits_is_discarded(limits, earlier):
    state = a_tally([ran(SUCCESS)], capped(max_tool_calls=5)).state()
    assert SessionTally.resumed(state, capped(max_tool_calls=5)) is not None
    assert SessionTally.resumed(state, limits, earlier) is None


def test_a_stored_state_from_other_code_is_discarded():
    state = a_tally([ran(SUCCESS)]).state()
    assert SessionTally.resumed(state | {"more": 1}, ()) is None
    assert SessionTally.resumed({}, ()) is None


def test_a_stored_state_does_not_change_with_later_calls():
    tally = a_tally([ran(SUCCESS)])
    state = tally.state()
    before = json.dumps(state)
    tally.advance(ran(FAILURE))
    tally.advance(denied())
    assert json.dumps(state) == before


def test_names_beyond_the_limit_are_counted_as_others():
    tally = SessionTally(())
    for number in range(MOST_NAMES + 7):
        tally.advance(Step(kind="denied", tool="t", reason=f"reason {number}"))
    assert len(tally.denials) == MOST_NAMES + 1
    assert (tally.denials[OTHERS], tally.denied) == (7, MOST_NAMES + 7)


@pytest.mark.parametrize(
    ("steps", "limits", "name"),
    [
        ([ran(SUCCESS)] * 2, capped(max_tool_calls=3), ""),
        ([ran(SUCCESS)] * 3, capped(max_tool_calls=3), "cap, max_tool_calls"),
        ([ran(SUCCESS), denied(rule="cap")], capped(max_tool_calls=3), "cap, max_tool_calls"),
        (
            [ran(SUCCESS)] * 3 + [denied(rule="max_attempts")],
            capped(max_tool_calls=3, max_attempts=9),
            "cap, max_attempts",
        ),
        (
            [ran(SUCCESS, tool="send")] * 2,
            capped(max_calls_per_tool={"send": 2}),
            "cap, max_calls_per_tool: send",
        ),
        (
            [ran(SUCCESS, from_sdk=True)] * 200,
            limits_of([], assume_sdk=True),
            "SDK, max_tool_calls",
        ),
        ([denied(rule="unheard of")], (), ""),
    ],
    ids=["reached none", "reached", "stopped", "stopped after one", "of a tool", "SDK", "unknown"],
)
def test_a_session_names_the_limit_that_stopped_it_or_else_the_first_one_hit(steps, limits, name):
    assert a_tally(steps, limits).limit_name() == name

"""Limits of session rules, and the calls at which each count reaches them."""

import pytest
from edictum.limits import OperationLimits
from edictum.yaml_engine.compiler import _merge_session_limits
from hypothesis import given
from hypothesis import strategies as st

from governance.core.session_limits import (
    LimitReading,
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
    limits_of,
    read_limit,
)
from governance.core.verdict import Verdict

SUCCESS, FAILURE, UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN


def a_rule(rule_id="cap", **limits):
    return {"id": rule_id, "limits": limits}


def test_limits_of_a_rule_are_in_sdk_order():
    rule = a_rule(max_calls_per_tool={"query": 5, "drop": 1}, max_tool_calls=50, max_attempts=90)
    assert limits_of([rule]) == (
        MaxAttempts(90, rule_ids=("cap",)),
        MaxExecutions(50, rule_ids=("cap",)),
        MaxExecutionsOfTool("query", 5, rule_ids=("cap",)),
        MaxExecutionsOfTool("drop", 1, rule_ids=("cap",)),
    )


def test_several_rules_merge_to_the_lowest_limit_and_all_are_named():
    rules = [
        a_rule("wide", max_tool_calls=80, max_calls_per_tool={"query": 2}),
        a_rule("narrow", max_tool_calls=30),
        a_rule("other", max_calls_per_tool={"query": 9, "send": 1}),
    ]
    assert limits_of(rules) == (
        MaxExecutions(30, rule_ids=("wide", "narrow")),
        MaxExecutionsOfTool("query", 2, rule_ids=("wide", "other")),
        MaxExecutionsOfTool("send", 1, rule_ids=("other",)),
    )


def test_without_rules_only_sdk_defaults_apply_and_only_on_request():
    assert limits_of([]) == ()
    assert limits_of([], assume_sdk=True) == (
        MaxAttempts(500, assumed=True),
        MaxExecutions(200, assumed=True),
    )


def test_a_rule_can_lower_an_sdk_default_but_not_raise_it():
    lower = limits_of([a_rule(max_attempts=500, max_tool_calls=200)], assume_sdk=True)
    assert [limit.assumed for limit in lower] == [False, False]
    higher = limits_of([a_rule(max_attempts=501, max_tool_calls=1000)], assume_sdk=True)
    assert higher == (
        MaxAttempts(501, rule_ids=("cap",)),
        MaxAttempts(500, rule_ids=("cap",), assumed=True),
        MaxExecutions(1000, rule_ids=("cap",)),
        MaxExecutions(200, rule_ids=("cap",), assumed=True),
    )


values = st.integers(1, 1000)
stated = st.fixed_dictionaries(
    {},
    optional={
        "max_attempts": values,
        "max_tool_calls": values,
        "max_calls_per_tool": st.dictionaries(st.sampled_from("abc"), values, max_size=3),
    },
)


@given(st.lists(stated, max_size=4))
def test_the_lowest_value_of_each_limit_matches_the_library(rules):
    enforced = OperationLimits()
    for limits in rules:
        enforced = _merge_session_limits({"limits": limits}, enforced)
    ours = limits_of([a_rule(**limits) for limits in rules], assume_sdk=True)

    def lowest(kind):
        return min(limit.value for limit in ours if isinstance(limit, kind))

    assert lowest(MaxAttempts) == enforced.max_attempts
    assert lowest(MaxExecutions) == enforced.max_tool_calls
    of_tools = {limit.tool: limit.value for limit in ours if limit.tool is not None}
    assert of_tools == enforced.max_calls_per_tool


def test_a_limit_is_reached_at_the_call_that_completes_its_count():
    reading = read_limit(
        MaxExecutions(50), reported=[SUCCESS] * 57, classified=[FAILURE] * 7 + [SUCCESS] * 50
    )
    assert reading == LimitReading(by_execution=50, by_reported=50, by_classified=57)


@pytest.mark.parametrize(
    ("limit", "reading"),
    [
        (MaxExecutions(1), LimitReading(1, 2, 3)),
        (MaxExecutions(2), LimitReading(2, 4, None)),
        (MaxExecutionsOfTool("query", 4), LimitReading(4, None, None)),
        (MaxExecutions(5), LimitReading(None, None, None)),
        (MaxAttempts(2), LimitReading(2, 2, 2)),
    ],
    ids=["one", "two", "of a tool", "not reached", "attempts"],
)
def test_unknown_and_missing_verdicts_count_as_executions_not_successes(limit, reading):
    reported = [None, SUCCESS, FAILURE, SUCCESS]
    classified = [UNKNOWN, FAILURE, SUCCESS, UNKNOWN]
    assert read_limit(limit, reported=reported, classified=classified) == reading

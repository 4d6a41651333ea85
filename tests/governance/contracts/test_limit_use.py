"""Which limit stopped a call, and whether it stopped at the right call."""

import pytest

from governance.contracts.domain.limit_use import LimitCounter, limit_denying
from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
    limits_of,
)


def a_counter(limit, reported="", classified="", *, stopped_at=None, checked=True):
    """Counter after these calls; `1` is a success in that count, `0` is not."""
    counter = LimitCounter(limit)
    for number, (one, other) in enumerate(zip(reported, classified, strict=True), start=1):
        counter.count(number, reported=one == "1", classified=other == "1", checked=checked)
    if stopped_at is not None:
        counter.stop(stopped_at)
    return counter


@pytest.mark.parametrize(
    ("reported", "classified", "stopped_at", "judgement"),
    [
        ("111", "011", 4, "premature"),
        ("111", "000", 4, "premature"),
        ("11111", "00111", 4, "premature"),
        ("000", "111", None, "right"),
        ("0000", "1111", None, "delayed"),
        ("0000", "1111", 5, "delayed"),
        ("111", "111", 4, "right"),
        ("111", "111", None, "right"),
        ("1110", "0110", None, "right"),
        ("11", "11", None, None),
        ("", "", 1, None),
    ],
    ids=[
        "stopped before it was due",
        "stopped although it was never due",
        "stopped, due only afterwards",
        "due, and nothing went on",
        "went on after it was due",
        "went on, and was stopped later",
        "stopped when it was due",
        "reached with the last call",
        "only executions and reports reached it",
        "nothing reached it and nothing was stopped",
        "nothing was counted",
    ],
)
def test_an_execution_limit_is_assessed_as_premature_right_or_delayed(
    reported, classified, stopped_at, judgement
):
    counter = a_counter(MaxExecutions(3), reported, classified, stopped_at=stopped_at)
    assert counter.use().judgement == judgement


def test_a_stop_is_not_assessed_if_no_counted_call_was_checked():
    use = a_counter(MaxExecutions(2), "111", "111", stopped_at=4, checked=False).use()
    assert use.judgement is None
    assert not use.checked
    assert use.reached_at == {"executions": 2, "reported": 2, "classified": 2}


def test_an_attempt_limit_has_one_count_and_no_assessment():
    use = a_counter(MaxAttempts(2), "11", "11", stopped_at=2).use()
    assert use.as_json() == {
        "limit": "max_attempts",
        "tool": None,
        "value": 2,
        "used": {"attempts": 2},
        "reached_at": {"attempts": 2},
        "stopped_at": 2,
        "judgement": None,
        "assumed": False,
    }


def test_an_execution_limit_is_counted_in_three_ways():
    use = a_counter(MaxExecutionsOfTool("query", 2), "111", "010", stopped_at=4).use()
    assert use.as_json() == {
        "limit": "max_calls_per_tool",
        "tool": "query",
        "value": 2,
        "used": {"executions": 3, "reported": 3, "classified": 1},
        "reached_at": {"executions": 2, "reported": 2, "classified": None},
        "stopped_at": 4,
        "judgement": "premature",
        "assumed": False,
    }


def test_only_the_first_stop_is_recorded():
    counter = a_counter(MaxExecutions(1), "1", "1", stopped_at=2)
    counter.stop(5)
    assert counter.use().stopped_at == 2


EVERY_KIND = limits_of(
    [
        {"id": "several", "limits": {"max_attempts": 9, "max_tool_calls": 5}},
        {"id": "tools", "limits": {"max_calls_per_tool": {"query": 2, "send": 2}}},
        {"id": "single", "limits": {"max_calls_per_tool": {"drop": 1}}},
    ]
)


def denied(rule, tool, *reached, limits=EVERY_KIND):
    """Limit that a denial is attributed to after limits of the given kinds were reached."""
    counters = [LimitCounter(limit) for limit in limits]
    for counter in counters:
        if counter.limit.kind in reached:
            for number in range(counter.limit.value):
                counter.count(number + 1)
    stopped = limit_denying(counters, rule, tool)
    return stopped and (stopped.limit.kind, stopped.limit.tool)


@pytest.mark.parametrize(
    ("rule", "tool", "reached", "limit"),
    [
        ("single", "drop", (), ("max_calls_per_tool", "drop")),
        ("single", "query", ("max_tool_calls",), ("max_calls_per_tool", "drop")),
        ("max_attempts", "query", ("max_tool_calls",), ("max_attempts", None)),
        ("max_tool_calls", "query", ("max_attempts",), ("max_tool_calls", None)),
        (
            "max_calls_per_tool:query",
            "query",
            ("max_attempts",),
            ("max_calls_per_tool", "query"),
        ),
        ("several", "query", ("max_attempts", "max_tool_calls"), ("max_attempts", None)),
        ("several", "query", ("max_tool_calls",), ("max_tool_calls", None)),
        ("several", "query", (), ("max_tool_calls", None)),
        ("tools", "send", (), ("max_calls_per_tool", "send")),
        (None, "query", ("max_calls_per_tool", "max_tool_calls"), ("max_tool_calls", None)),
        (None, "query", ("max_calls_per_tool",), ("max_calls_per_tool", "query")),
        ("unheard-of", "query", (), ("max_tool_calls", None)),
    ],
    ids=[
        "a rule with one limit",
        "a rule with one limit, of another tool even",
        "the SDK's name of attempts",
        "the SDK's name of calls",
        "the SDK's name of a tool",
        "a rule with two, both reached: attempts first",
        "a rule with two, one reached",
        "a rule with two, none reached: calls",
        "a rule with several tools: that of the call",
        "no rule: calls before tools",
        "no rule: the tool's own",
        "an unknown rule, none reached: calls",
    ],
)
def test_a_denial_is_attributed_to_its_named_limit_or_the_first_one_reached(
    rule, tool, reached, limit
):
    assert denied(rule, tool, *reached) == limit


def test_a_denial_below_every_limit_is_attributed_to_the_tools_limit_first():
    limits = limits_of(
        [{"id": "r", "limits": {"max_attempts": 9, "max_calls_per_tool": {"query": 2}}}]
    )
    assert denied(None, "query", limits=limits) == ("max_calls_per_tool", "query")
    assert denied(None, "send", limits=limits) == ("max_attempts", None)


def test_a_denial_without_an_applicable_limit_is_attributed_to_none():
    assert denied("gone", "query", limits=()) is None
    of_another_tool = limits_of([{"id": "r", "limits": {"max_calls_per_tool": {"send": 2}}}])
    assert denied(None, "query", limits=of_another_tool) is None


def test_an_sdk_default_below_a_rules_limit_explains_the_denial():
    limits = limits_of([{"id": "high", "limits": {"max_tool_calls": 1000}}], assume_sdk=True)
    counters = [LimitCounter(limit) for limit in limits]
    for number in range(1, 201):
        for counter in counters:
            counter.count(number)
    stopped = limit_denying(counters, "high", "query")
    assert stopped is not None
    assert (stopped.limit.assumed, stopped.limit.kind) == (True, "max_tool_calls")


def test_a_distant_sdk_default_does_not_explain_a_denial():
    counters = [
        LimitCounter(MaxAttempts(500, assumed=True)),
        LimitCounter(MaxExecutions(200, assumed=True)),
    ]
    assert limit_denying(counters, "a-rule-we-never-saw", "read_file") is None

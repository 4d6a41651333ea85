"""Cases: evaluation against decisions, session limits, and parsing."""

from typing import Any, cast

import pytest

from governance.case_runs.domain import Answer, Before, Stop, first_stop, judge
from governance.cases.domain import MOST_CALLS, problems_of
from governance.core.case_text import calls_as_text, calls_from, written
from governance.core.cases import Case, CaseCall, Decides, Stops
from governance.core.errors import InvalidInput
from governance.core.json_text import read_json, read_object
from governance.core.session_limits import LimitsOfRule, SessionRule, limits_of

CALL = CaseCall(tool="refund", args={"amount": 75})
DENIED = Case("refund without ticket", Decides(call=CALL, action="block", rule="needs-ticket"))


def limits(**stated: Any):
    rule: SessionRule = {"id": "limits", "limits": cast(LimitsOfRule, stated)}
    return limits_of([rule], assume_sdk=True)


def runs(tool="t", times=1):
    return [(tool, "runs")] * times


def test_a_case_passes_when_its_rule_makes_the_expected_decision():
    result = judge(DENIED, [Answer(action="block", rules=("other", "needs-ticket"))], ())
    assert result.passed
    assert result.words == "denied by `other`, `needs-ticket`"


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Answer(action="allow"), "expected denied by `needs-ticket`, got allowed"),
        (
            Answer(action="block", rules=("other",)),
            "expected denied by `needs-ticket`, got denied by `other`",
        ),
        ("no answer", "expected denied by `needs-ticket`, got no answer"),
    ],
)
def test_a_failing_case_reports_the_expected_and_actual_decision(problem, words):
    result = judge(DENIED, [problem], ())
    assert not result.passed
    assert result.words == words


def test_a_session_case_reports_the_call_at_which_a_limit_stops_it():
    session = (CaseCall(tool="crm_update", times=3), CaseCall(tool="mail"))
    items = [Answer(action="allow"), Answer(action="allow")]
    stops = Case("third", Stops(calls=session, stopped_at=3, rule="limits"))
    assert judge(stops, items, limits(max_calls_per_tool={"crm_update": 2})).passed
    goes_on = judge(stops, items, limits(max_tool_calls=9))
    assert goes_on.words == "expected call 3 stopped by `limits`, got no call stopped"
    assert judge(Case("goes on", Stops(calls=session)), items, limits(max_tool_calls=9)).passed


def test_an_attempt_limit_counts_denials_and_stops_the_call_that_reaches_it():
    stop = first_stop(limits(max_attempts=3), [("t", "denied"), *runs(times=9)])
    assert stop == Stop(3, ("limits",))


def test_an_execution_limit_ignores_denials_and_stops_the_call_after_the_last():
    stop = first_stop(limits(max_tool_calls=2), [("t", "denied"), *runs(times=9)])
    assert stop == Stop(4, ("limits",))


def test_a_tool_limit_counts_only_that_tool():
    stop = first_stop(
        limits(max_calls_per_tool={"a": 1}), [*runs("b", 5), *runs("a"), *runs("b"), *runs("a")]
    )
    assert stop == Stop(8, ("limits",))


def test_an_approved_call_counts_as_an_execution_but_is_not_limited():
    calls: list[tuple[str, Before]] = [("t", "asks")] * 3
    assert first_stop(limits(max_tool_calls=2), calls) is None
    assert first_stop(limits(max_tool_calls=2), [*calls, *runs()]) == Stop(4, ("limits",))


def test_the_sdk_defaults_apply_if_a_contract_has_no_limits():
    assert first_stop(limits(max_attempts=900), runs(times=MOST_CALLS)) == Stop(
        201, ("max_tool_calls",)
    )


def test_stored_calls_round_trip_with_any_values():
    calls = (
        CaseCall(tool="t", args={"x": "\0 \ud800 é", "n": 2**70}, output="", times=2),
        CaseCall(tool="u", principal={"role": "admin"}, environment="staging"),
    )
    assert calls_from(calls_as_text(calls)) == calls
    assert calls_as_text(calls).isascii()
    assert calls_from(written(calls[1:])) == calls[1:]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "b" 2}', "Line 2, column 6: Expected a colon"),
        ('{"a": 1', "comma or closing bracket"),
        ('{"a": "C:\\d"}', "Write a backslash in a string"),
        ("", "This is empty"),
        ("{a: 1}", "double quotes"),
        ('{"a": 1} x', "after the value"),
        ('{"a": NaN}', "`NaN` is not a JSON number"),
        ('{"a": 1, "a": 2}', "`a` is defined twice"),
        ("[1]", "not an object"),
        ('{"a": "b', "no closing quote"),
        ("[" * 5_000, "nested too deeply"),
        ('{"a": ' + "[" * 70 + "]" * 70 + "}", "nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "digits"),
    ],
)
def test_invalid_objects_are_rejected_with_the_reason(text, words):
    with pytest.raises(InvalidInput, match=words) as refused:
        read_object(text, "args")
    assert refused.value.errors[0].path == "args"


def test_json_input_is_parsed():
    assert read_json(' {"a": [1, 2.5, null, "é"]} ') == {"a": [1, 2.5, None, "é"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tool": "t"}', "not a list"),
        ("[1]", r"calls\[0\] is not a call"),
        ('[{"args": {}}]', r"calls\[0\] needs a `tool`"),
        ('[{"tool": "t", "arg": 1}]', r"`arg` is not a key of a call \(calls\[0\]\)"),
        ('[{"tool": "t", "args": []}]', "`args`"),
        ('[{"tool": "t", "times": true}]', "`times`"),
        ('[{"tool": "t", "output": 1}]', "`output`"),
        ('[{"tool": "t", "principal": 1}]', "`principal`"),
        ('[{"tool": "t", "environment": 1}]', "`environment`"),
    ],
)
def test_an_invalid_session_names_the_invalid_call(text, words):
    with pytest.raises(InvalidInput, match=words):
        calls_from(text)


@pytest.mark.parametrize(
    ("case", "path"),
    [
        (Case("", DENIED.expects), "name"),
        (Case("two\nlines", DENIED.expects), "name"),
        (Case("n" * 129, DENIED.expects), "name"),
        (Case("n", Decides(call=CaseCall(tool=""), action="allow")), "tool"),
        (Case("n", Decides(call=CaseCall(tool="t\0"), action="allow")), "tool"),
        (Case("n", Decides(call=CALL, action="allow", rule="r\0")), "rule"),
        (Case("n", Decides(call=CALL, action="deny")), "action"),  # type: ignore[arg-type]  # what people may send
        (
            Case("n", Decides(call=CaseCall(tool="t", environment="\0"), action="allow")),
            "environment",
        ),
        (Case("n", Decides(call=CaseCall(tool="t", output="x" * 70_000), action="allow")), "args"),
        (Case("n", Stops(calls=())), "calls"),
        (Case("n", Stops(calls=(CALL,) * 51)), "calls"),
        (Case("n", Stops(calls=(CaseCall(tool="t", times=601),))), "calls"),
        (Case("n", Stops(calls=(CaseCall(tool="t", times=0), CALL))), "calls"),
        (Case("n", Stops(calls=(CALL,), stopped_at=2)), "stopped_at"),
    ],
)
def test_an_invalid_case_names_the_invalid_field(case, path):
    assert [each.path for each in problems_of(case)] == [path]
    assert list(problems_of(DENIED)) == []

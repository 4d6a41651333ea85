"""Denial loops and failures by error, from the calls of a session."""

from outcomes.models.sessions import LOOP
from outcomes.sessions.domain.overview import (
    FOLDED_FROM,
    cap_for,
    denial_loops,
    failure_groups,
    stuck_in,
)
from tests.outcomes.sessions.briefs import a_brief

SAME = {"tool": "shell", "arguments": b"rm", "rule": "no-deleting", "turn_id": ""}


def denied(times: int, **fields):
    return [a_brief("denied", **SAME | fields) for _ in range(times)]


def test_repeated_denials_of_one_call_are_one_loop_despite_calls_in_between():
    calls = [a_brief(), *denied(3), a_brief(), *denied(2), a_brief()]
    (loop,) = denial_loops(calls)
    assert (loop.tool, loop.rule, loop.times) == ("shell", "no-deleting", 5)
    assert (loop.first, loop.last) == (2, 7)
    assert loop.call_id == calls[-2].call_id
    assert loop.interval.total_seconds() == 1.25


def test_calls_with_different_or_unknown_arguments_or_rules_are_not_a_loop():
    calls = [
        *denied(2),
        *denied(2, arguments=b"ls"),
        *denied(2, rule="other"),
        *denied(9, arguments=None),
    ]
    assert denial_loops(calls) == []


def test_a_session_is_stuck_if_the_loop_is_most_of_its_remaining_calls():
    assert stuck_in(denial_loops([a_brief(), *denied(3), a_brief()])) is not None
    went_on = [*denied(3), *(a_brief() for _ in range(4))]
    assert denial_loops(went_on)
    assert stuck_in(denial_loops(went_on)) is None


def test_calls_denied_by_a_limit_are_not_a_loop():
    assert stuck_in(denial_loops(denied(9, reason="limit"))) is None


def test_loops_are_folded_from_the_same_length_at_which_alerts_open():
    assert FOLDED_FROM == LOOP


def test_the_suggested_cap_exceeds_the_calls_that_ran_and_ends_the_loop():
    (loop,) = denial_loops([a_brief(), a_brief(), *denied(48)])
    assert cap_for(5, loop) == 20
    assert cap_for(2, loop) == 10
    assert cap_for(40, loop) is None


def failed(detail: str = "SMTP 451", kind: str = "failure", **fields):
    return a_brief(
        kind,
        verdict="failure",
        detail=detail,
        group_digest=b"g",
        group_text="row # is locked",
        **fields,
    )


def test_failures_are_grouped_by_tool_and_error_most_frequent_first():
    groups = failure_groups(
        [failed("SMTP 421"), failed(), failed(), failed(tool="pay"), a_brief(), a_brief("denied")]
    )
    assert [(group.tool, group.text, group.calls) for group in groups] == [
        ("query", "SMTP 451", 2),
        ("pay", "SMTP 451", 1),
        ("query", "SMTP 421", 1),
    ]


def test_errors_that_differ_only_in_details_are_one_group():
    (group,) = failure_groups([failed(f"row {number} is locked") for number in range(5)])
    assert (group.text, group.calls, group.digest) == ("row # is locked", 5, b"g")


def test_a_failure_detected_by_a_check_uses_the_message_of_its_group():
    (group,) = failure_groups([failed("output", kind="execution_result", reported="success")])
    assert (group.text, group.missed) == ("row # is locked", 1)

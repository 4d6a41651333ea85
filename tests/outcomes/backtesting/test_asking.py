"""Matching approval requests to the events that name their call and rule."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.calls.domain import WITHIN, ApprovalEvent, ApprovalRequest, is_as_sent, pair_requests

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
SAME: dict[str, Any] = {"environment": 1, "agent": "bot", "tool": "charge", "session": "s-1"}


def a_request(key: int = 1, after: float = 0.0, **fields: Any) -> ApprovalRequest:
    at = NOON + timedelta(seconds=after)
    return ApprovalRequest(**({**SAME, "key": key, "at": at, "arguments": {}} | fields))


def an_event(call: int = 1, after: float = 0.0, **fields: Any) -> ApprovalEvent:
    at = NOON + timedelta(seconds=after)
    return ApprovalEvent(**({**SAME, "call": call, "at": at, "arguments": {}} | fields))


def calls(requests: list[ApprovalRequest], events: list[ApprovalEvent]) -> dict[int, int]:
    return {key: event.call for key, event in pair_requests(requests, events).items()}


def test_the_nearest_event_in_time_matches():
    assert calls([a_request()], [an_event(1, 60), an_event(2, 1), an_event(3, -30)]) == {1: 2}


@pytest.mark.parametrize(
    "other",
    [{"environment": 2}, {"agent": "other"}, {"tool": "other"}, {"session": "s-2"}],
    ids=str,
)
def test_an_event_of_another_environment_agent_tool_or_session_does_not_match(other):
    assert calls([a_request()], [an_event(1, **other)]) == {}


def test_a_request_without_a_session_matches_any_session():
    assert calls([a_request(session="")], [an_event(1, session="s-9")]) == {1: 1}


def test_an_event_outside_the_time_window_does_not_match():
    within = WITHIN.total_seconds()
    assert calls([a_request()], [an_event(1, within + 1), an_event(2, -within - 1)]) == {}
    assert calls([a_request()], [an_event(1, within)]) == {1: 1}


def test_an_event_matches_at_most_one_request():
    assert calls([a_request(1), a_request(2, 1)], [an_event(1, 0.1)]) == {1: 1}


def test_parallel_calls_are_distinguished_by_their_arguments():
    requests = [
        a_request(1, 0.000, arguments={"to": "a"}),
        a_request(2, 0.001, arguments={"to": "b"}),
    ]
    events = [an_event(1, 0.002, arguments={"to": "b"}), an_event(2, 0.003, arguments={"to": "a"})]
    assert calls(requests, events) == {1: 2, 2: 1}


def test_an_event_with_different_arguments_does_not_match():
    assert calls([a_request(arguments={"to": "a"})], [an_event(1, arguments={"to": "b"})]) == {}


def test_numbers_compare_equal_as_integers_and_floats():
    ask = a_request(arguments={"amount": 1240.0})
    assert calls([ask], [an_event(1, arguments={"amount": 1240})]) == {1: 1}


def test_arguments_missing_from_the_event_are_not_a_mismatch():
    ask = a_request(arguments={"to": "a", "text": "long"})
    assert calls([ask], [an_event(1, 1, arguments={"to": "b"}), an_event(2, 60)]) == {1: 2}


def test_repeated_requests_of_one_call_all_match_it():
    events = [an_event(7, 1), an_event(7, 31)]
    assert calls([a_request(1, 0), a_request(2, 30)], events) == {1: 7, 2: 7}


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_matching_does_not_depend_on_the_input_order(requests, events):
    result = calls(
        [a_request(n, 10 * n) for n in requests], [an_event(n, 10 * n + 3) for n in events]
    )
    assert result == {n: n for n in range(5)}


@pytest.mark.parametrize(
    "value",
    ["[REDACTED]", "x" * 997 + "...", ["a [REDACTED]"], {"a": ["[REDACTED]"]}],
    ids=["blanked", "cut", "in a list", "in an object"],
)
def test_masked_or_truncated_values_are_not_treated_as_sent(value):
    assert not is_as_sent(value)


@pytest.mark.parametrize("value", [None, 1, "a...", "x" * 1_000, [1, "a"], {"a": 1.5}], ids=repr)
def test_other_values_are_treated_as_sent(value):
    assert is_as_sent(value)

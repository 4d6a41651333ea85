"""A turn: blocked tools, replay record and wasted calls."""

import pytest

from outcomes.record.call import Call
from outcomes.record.event import Allowed, Posted, Report
from outcomes.record.outcome import (
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.sessions.domain.repeats import read_turn
from tests.outcomes.record.values import an_event, folded

RAN, LARGE, TIMEOUT, FAILED = ToolExecutionResult, ToolArtifactReference, ToolTimeout, ToolFailure


def the_turn(*reports, turn_id="t-1"):
    """A turn of calls c-1, c-2 … given as (tool, arguments, outcome type or None, its fields,
    idempotent)."""
    calls: list[Call] = []
    for number, (tool, args, kind, fields, idempotent) in enumerate(reports, start=1):
        ids = {"call_id": f"c-{number}", "tool_name": tool}
        report: Report = Posted(kind(**ids, **fields)) if kind else Allowed()
        event = an_event(report, **ids, at=number, tool_args=args, idempotent=idempotent)
        calls.append(folded(event))
    return read_turn(calls, turn_id=turn_id)


def waste(turn):
    return [(wasted.kind.value, wasted.call_id, wasted.because_of) for wasted in turn.waste]


A, B = {"id": 1}, {"id": 2}


@pytest.mark.parametrize(
    ("kind", "fields", "blocked", "record"),
    [
        (RAN, {"output": {"error": "inside"}}, [], {"succeeded": [A], "failed": []}),
        (LARGE, {"artifact_id": "a"}, [], {"succeeded": [A], "failed": []}),
        (TIMEOUT, {"retryable": True}, [], {"succeeded": [], "failed": [A]}),
        (TIMEOUT, {"retryable": False}, ["query"], {"succeeded": [], "failed": [A]}),
        (FAILED, {"retryable": True}, [], {"succeeded": [], "failed": [A]}),
        (FAILED, {"retryable": False}, ["query"], {"succeeded": [], "failed": [A]}),
        (ToolDenied, {"reason": "contract"}, [], None),
        (None, {}, [], None),
    ],
    ids=[
        "result",
        "artifact",
        "timeout",
        "timeout for good",
        "failure",
        "failure for good",
        "denied",
        "open",
    ],
)
def test_each_outcome_updates_blocked_tools_and_the_replay_record(kind, fields, blocked, record):
    turn = the_turn(("query", A, kind, fields, False))
    assert turn.blocked_tools == blocked
    assert turn.replay == ({"query": record} if record else {})


def test_arguments_are_recorded_once_whatever_their_key_order():
    turn = the_turn(
        ("query", {"a": 1, "b": 2}, RAN, {}, False),
        ("query", {"b": 2, "a": 1}, RAN, {}, False),
        ("query", {"a": 1, "b": 2}, FAILED, {}, False),
        ("search", {"a": 1, "b": 2}, RAN, {}, False),
    )
    assert turn.replay == {
        "query": {"succeeded": [{"a": 1, "b": 2}], "failed": [{"a": 1, "b": 2}]},
        "search": {"succeeded": [{"a": 1, "b": 2}], "failed": []},
    }


def test_unreported_arguments_are_neither_recorded_nor_equal():
    turn = the_turn(("query", None, RAN, {}, True), ("query", None, RAN, {}, True))
    assert turn.replay == {}
    assert waste(turn) == []


def test_repeating_an_idempotent_call_after_success_is_waste():
    turn = the_turn(
        ("query", A, RAN, {}, True),
        ("query", B, RAN, {}, True),
        ("query", A, RAN, {}, True),
        ("query", A, ToolDenied, {"reason": "duplicate"}, True),
    )
    assert waste(turn) == [
        ("repeated_after_success", "c-3", "c-1"),
        ("repeated_after_success", "c-4", "c-1"),
    ]


def test_repeating_a_call_that_is_not_idempotent_or_failed_is_not_waste():
    turn = the_turn(
        ("send", A, RAN, {}, False),
        ("send", A, RAN, {}, False),
        ("query", A, FAILED, {"retryable": True}, True),
        ("query", A, RAN, {}, True),
    )
    assert waste(turn) == []


def test_retries_after_a_non_retryable_failure_and_calls_to_a_blocked_tool_are_waste():
    turn = the_turn(
        ("query", A, FAILED, {"retryable": False}, True),
        ("query", A, FAILED, {"retryable": False}, True),
        ("query", B, RAN, {}, True),
        ("search", A, RAN, {}, True),
        ("query", B, ToolDenied, {"reason": "blocked"}, False),
    )
    assert waste(turn) == [
        ("retry_after_non_retryable", "c-2", "c-1"),
        ("blocked_tool_called", "c-3", "c-1"),
        ("blocked_tool_called", "c-5", "c-1"),
    ]


def test_repeating_a_denied_call_is_waste():
    denied = ("drop", A, ToolDenied, {"reason": "contract"}, False)
    turn = the_turn(denied, ("drop", B, ToolDenied, {"reason": "contract"}, False), denied)
    assert waste(turn) == [("denied_repeated", "c-3", "c-1")]


def test_a_denied_call_that_later_runs_is_not_waste():
    turn = the_turn(
        ("drop", A, ToolDenied, {"reason": "approval"}, False), ("drop", A, RAN, {}, False)
    )
    assert waste(turn) == []


def test_without_a_turn_only_repeated_denials_are_detected():
    denied = ("drop", A, ToolDenied, {"reason": "contract"}, False)
    turn = the_turn(
        ("query", A, RAN, {}, True),
        ("query", A, RAN, {}, True),
        ("query", A, FAILED, {"retryable": False}, True),
        ("query", A, RAN, {}, True),
        denied,
        denied,
        turn_id=None,
    )
    assert turn.turn_id is None
    assert turn.blocked_tools == []
    assert turn.replay == {}
    assert waste(turn) == [("denied_repeated", "c-6", "c-5")]


def test_a_turn_serializes_to_plain_json():
    turn = the_turn(("query", A, FAILED, {"retryable": False}, True), ("query", B, RAN, {}, True))
    assert turn.as_json() == {
        "turn_id": "t-1",
        "calls": ["c-1", "c-2"],
        "blocked_tools": ["query"],
        "replay": {"query": {"succeeded": [B], "failed": [A]}},
        "waste": [
            {
                "kind": "blocked_tool_called",
                "call_id": "c-2",
                "tool_name": "query",
                "because_of": "c-1",
            }
        ],
    }

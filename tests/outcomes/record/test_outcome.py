"""The five outcomes, their properties, and the size limit for inline outputs."""

import json
from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest
from hypothesis import given

from outcomes.record.outcome import (
    NOT_REPORTED,
    NotReported,
    Outcome,
    ToolExecutionResult,
    ToolFailure,
    artifact_bytes,
    fits_inline,
    outcome_blocks_tool,
    outcome_is_error,
    outcome_is_retryable,
    serialised_length,
    summary_of,
)
from tests.outcomes.record.values import (
    IDS,
    ONE_PER_TYPE,
    a_denial,
    a_failure,
    a_result,
    a_timeout,
    an_artifact,
    json_values,
)


def test_the_five_outcome_types_are_named_as_on_the_wire():
    assert [kind.kind for kind in get_args(Outcome)] == [
        "execution_result",
        "timeout",
        "failure",
        "denied",
        "artifact_reference",
    ]
    assert {type(outcome) for outcome in ONE_PER_TYPE} == set(get_args(Outcome))


@pytest.mark.parametrize(
    ("outcome", "defaults"),
    [
        (a_result(), {"output": NOT_REPORTED, "elapsed_ms": None, "was_coerced": False}),
        (a_timeout(), {"deadline_s": None, "elapsed_ms": None, "retryable": True}),
        (a_failure(), {"error": "reported as failed", "elapsed_ms": None, "retryable": True}),
        (a_denial("limit"), {"reason": "limit", "details": ""}),
        (an_artifact("a-9"), {"artifact_id": "a-9", "summary": "", "size_bytes": 0}),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_each_outcome_has_exactly_its_own_fields(outcome, defaults):
    own = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    assert own == IDS | defaults


@pytest.mark.parametrize("outcome", ONE_PER_TYPE, ids=lambda outcome: outcome.kind)
def test_an_outcome_is_immutable(outcome):
    with pytest.raises(FrozenInstanceError):
        outcome.call_id = "another"


def test_a_null_output_differs_from_a_missing_one():
    match a_result(None):
        case ToolExecutionResult(output=NotReported()):
            pytest.fail("null was sent, and is a value")
        case ToolExecutionResult(output=output):
            assert output is None
    match a_result():
        case ToolExecutionResult(output=NotReported()):
            pass
        case _:
            pytest.fail("nothing was sent, and that is not null")


@pytest.mark.parametrize(
    ("outcome", "error", "retryable", "blocks"),
    [
        (a_result({"error": "inside"}), False, False, False),
        (a_timeout(retryable=True), True, True, False),
        (a_timeout(retryable=False), True, False, True),
        (a_failure(retryable=True), True, True, False),
        (a_failure(retryable=False), True, False, True),
        (a_denial("blocked"), False, False, False),
        (an_artifact(), False, False, False),
    ],
    ids=lambda value: value.kind if not isinstance(value, bool) else "",
)
def test_an_outcome_states_whether_it_is_an_error_retryable_and_blocking(
    outcome, error, retryable, blocks
):
    assert outcome_is_error(outcome) is error
    assert outcome_is_retryable(outcome) is retryable
    assert outcome_blocks_tool(outcome) is blocks


def test_a_failure_without_a_message_has_a_default_message():
    assert ToolFailure(**IDS).error == "reported as failed"


@pytest.mark.parametrize(
    ("output", "length"),
    [
        (None, 4),
        (True, 4),
        ("", 2),
        ("é", 3),
        ("\N{GRINNING FACE}", 3),
        ('"', 4),
        ("\n", 4),
        ([1, 2], 5),
        ({"a": "ü"}, 9),
    ],
    ids=repr,
)
def test_the_serialized_length_counts_code_points_of_compact_json(output, length):
    assert serialised_length(output) == length


@pytest.mark.parametrize(
    ("output", "inline"),
    [
        ("x" * 11_998, True),
        ("x" * 11_999, False),
        ("\n" * 5_999, True),
        ("\n" * 6_000, False),
        ("\x01" * 1_999, True),
        ("\x01" * 2_000, False),
        (["x" * 11_996], True),
        (["x" * 11_997], False),
    ],
    ids=lambda value: f"{type(value).__name__} {len(value)}" if not isinstance(value, bool) else "",
)
def test_an_output_of_up_to_twelve_thousand_code_points_is_inline(output, inline):
    assert (serialised_length(output) <= 12_000) is inline
    assert fits_inline(output) is inline


@given(json_values)
def test_short_outputs_fit_inline(output):
    written = json.dumps(output, ensure_ascii=False, separators=(",", ":"))
    assert serialised_length(output) == len(written)
    assert fits_inline(output)


@pytest.mark.parametrize(
    ("output", "stored"),
    [
        ("plain \N{SNOWMAN}", ("plain \N{SNOWMAN}".encode(), "text/plain")),
        ({"a": ["ü", 1]}, ('{"a":["ü",1]}'.encode(), "application/json")),
        (None, (b"null", "application/json")),
    ],
    ids=["text", "object", "null"],
)
def test_an_artifact_stores_text_as_is_and_other_values_as_json(output, stored):
    assert artifact_bytes(output) == stored


@pytest.mark.parametrize(
    ("output", "summary"),
    [
        ("é" * 300, "é" * 200),
        ("short", "short"),
        (["y" * 300], '["' + "y" * 198),
    ],
    ids=["long text", "short text", "list"],
)
def test_a_summary_has_at_most_two_hundred_code_points(output, summary):
    assert summary_of(output) == summary

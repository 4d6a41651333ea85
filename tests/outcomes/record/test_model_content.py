"""The tool message for the model, row by row of the table in the domain docs."""

import json

import pytest
from hypothesis import given

from outcomes.record.model_content import outcome_to_model_content
from tests.outcomes.record.values import (
    a_denial,
    a_failure,
    a_result,
    a_timeout,
    an_artifact,
    json_values,
)

FIX_ARGUMENTS = "Correct the arguments and call the tool again."
READ_FILE = "The output is too large to show here. Read it with read_file."


@pytest.mark.parametrize(
    ("outcome", "content"),
    [
        (a_result({"status": 500}), {"status": 500}),
        (a_result(None), None),
        (
            a_timeout(deadline_s=30),
            {
                "status": "error",
                "error": "Tool timed out after 30 s.",
                "timed_out": True,
                "retryable": True,
            },
        ),
        (
            a_timeout(retryable=False),
            {"status": "error", "error": "Tool timed out.", "timed_out": True, "retryable": False},
        ),
        (
            a_failure(error="no such table"),
            {"status": "error", "error": "no such table", "retryable": True},
        ),
        (a_denial("duplicate"), {"warning": "duplicate_tool_call", "skipped": True}),
        (a_denial("blocked"), {"warning": "non_retryable_tool_failure", "skipped": True}),
        (
            a_denial("validation", details="id must be a number"),
            {
                "error": "argument_validation_failed",
                "details": "id must be a number",
                "hint": FIX_ARGUMENTS,
            },
        ),
        (
            a_denial("deadline"),
            {"error": "Turn deadline expired; cannot execute tool.", "timed_out": True},
        ),
        (
            a_denial("pre_hook", details="no writes today"),
            {"error": "Blocked: no writes today", "blocked": True},
        ),
        (a_denial("write_denied"), {"error": "Blocked: write_denied", "blocked": True}),
        (a_denial("of our own"), {"error": "Blocked: of our own", "blocked": True}),
        (
            an_artifact("a-7", summary="rows"),
            {"artifact_reference": "a-7", "summary": "rows", "hint": READ_FILE},
        ),
    ],
    ids=[
        "result",
        "null",
        "timeout with a deadline",
        "timeout for good",
        "failure",
        "duplicate",
        "blocked",
        "validation",
        "deadline",
        "pre_hook with details",
        "write_denied without details",
        "an unknown reason",
        "artifact",
    ],
)
def test_the_model_content_describes_the_outcome(outcome, content):
    assert outcome_to_model_content(outcome) == json.dumps(content)


def test_the_model_content_of_an_unreported_output_is_none():
    assert outcome_to_model_content(a_result()) is None


@given(json_values)
def test_the_model_content_of_an_output_is_its_json(output):
    assert outcome_to_model_content(a_result(output)) == json.dumps(output)

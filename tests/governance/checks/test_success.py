"""The default check: the same verdicts as the SDKs' heuristic, with reasons."""

import pytest
from edictum._runner import _default_success_check
from hypothesis import given

from governance.checks.domain import DEFAULT, default_check
from governance.core.verdict import Verdict
from tests.governance.checks.results import json_values

SUCCESS, FAILURE = Verdict.SUCCESS, Verdict.FAILURE


@pytest.mark.parametrize(
    ("output", "verdict", "rule"),
    [
        (None, SUCCESS, "null"),
        ({"is_error": True}, FAILURE, "is_error"),
        ({"is_error": "yes"}, FAILURE, "is_error"),
        ({"is_error": False}, SUCCESS, "otherwise"),
        ({"is_error": []}, SUCCESS, "otherwise"),
        ("Error: x", FAILURE, "error_prefix"),
        ("ERROR:", FAILURE, "error_prefix"),
        ("fatal: x", FAILURE, "error_prefix"),
        (" Error: x", SUCCESS, "otherwise"),
        ("an Error: x", SUCCESS, "otherwise"),
        ("Traceback (most recent call last):", SUCCESS, "otherwise"),
        ({"ok": False}, SUCCESS, "otherwise"),
        ({"status": 500}, SUCCESS, "otherwise"),
        ({"error": "x"}, SUCCESS, "otherwise"),
        (False, SUCCESS, "otherwise"),
        ("", SUCCESS, "otherwise"),
        (["Error: x"], SUCCESS, "otherwise"),
    ],
    ids=repr,
)
def test_the_default_check_returns_the_expected_verdict_and_rule(output, verdict, rule):
    judgement = DEFAULT.judge("any tool", output)
    assert (judgement.verdict, judgement.rule) == (verdict, rule)


def test_a_failure_has_its_deciding_value_and_a_reason():
    judgement = default_check({"is_error": "disk full", "more": 1})
    assert judgement.value == "disk full"
    assert judgement.reason
    assert len(str(default_check("Error: " + "x" * 20_000).value)) == 200


@given(json_values)
def test_the_default_check_agrees_with_the_library(output):
    assert (default_check(output).verdict is SUCCESS) is _default_success_check("tool", output)


def test_the_default_check_has_a_name_and_a_version():
    assert (DEFAULT.name, DEFAULT.version) == ("default", 1)

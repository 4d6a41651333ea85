"""Which calls are classified, by what, and the resulting verdict."""

import pytest
from hypothesis import given

from governance.checks.domain import DEFAULT, Judgement
from governance.core.json_value import Json
from governance.core.verdict import Verdict
from outcomes.record.classification import (
    CHECKED_LIMIT,
    LONGEST_REASON,
    STORED_BY_AGENT,
    TOO_LARGE,
    Classification,
    NotChecked,
    Unreadable,
    artifact_value,
    classify,
)
from tests.outcomes.record.values import (
    a_call,
    a_denial,
    a_failure,
    a_result,
    a_timeout,
    an_artifact,
    json_values,
)

SUCCESS, FAILURE, UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN


class Witness:
    """A check that records what it was given."""

    name = "witness"
    version = 7

    def __init__(self):
        self.judged = []

    def judge(self, tool_name, output, elapsed_ms=None):
        self.judged.append((tool_name, output, elapsed_ms))
        return Judgement(
            verdict=UNKNOWN, rule="seen", value=output, reason="It was seen.", labels=("partial",)
        )


class Broken:
    name = "broken"
    version = 3

    def __init__(self, error):
        self.error = error

    def judge(self, tool_name, output, elapsed_ms=None):
        raise self.error


def nothing_stored(artifact_id):
    pytest.fail(f"{artifact_id} was read, and there was no need to")


SIX_DENIALS = ["duplicate", "blocked", "pre_hook", "validation", "deadline", "write_denied"]


@pytest.mark.parametrize(
    "call",
    [
        a_call(),
        a_call(a_result()),
        *(a_call(a_denial(reason)) for reason in [*SIX_DENIALS, "contract", "limit", "approval"]),
    ],
    ids=["open", "not reported", *SIX_DENIALS, "contract", "limit", "approval"],
)
def test_a_call_without_an_output_is_not_classified(call):
    check = Witness()
    assert classify(call, check, nothing_stored) is None
    assert check.judged == []


@pytest.mark.parametrize(
    "outcome",
    [a_timeout(), a_timeout(retryable=False), a_failure(), a_failure(error="x")],
    ids=lambda outcome: outcome.kind,
)
def test_a_timeout_or_a_failure_is_a_failure_without_running_a_check(outcome):
    check = Witness()
    assert classify(a_call(outcome), check, nothing_stored) == Classification(verdict=FAILURE)
    assert check.judged == []


def test_an_output_is_classified_and_the_explanation_stored():
    check = Witness()
    call = a_call(a_result({"rows": []}, elapsed_ms=41))
    assert classify(call, check, nothing_stored) == Classification(
        verdict=UNKNOWN,
        check="witness",
        version=7,
        rule="seen",
        value={"rows": []},
        reason="It was seen.",
        labels=("partial",),
    )
    assert check.judged == [("query", {"rows": []}, 41)]


def test_a_null_output_is_classified():
    check = Witness()
    classify(a_call(a_result(None)), check, nothing_stored)
    assert check.judged == [("query", None, None)]


def test_an_artifact_is_classified_by_its_full_content():
    check = Witness()
    stored: dict[str, Json] = {"a-1": {"rows": ["row"] * 5_000}}
    call = a_call(an_artifact("a-1", summary='{"rows":["row"'))
    classify(call, check, lambda artifact_id: stored[artifact_id])
    assert check.judged == [("query", stored["a-1"], None)]


@pytest.mark.parametrize("unreadable", [STORED_BY_AGENT, TOO_LARGE], ids=["foreign", "too large"])
def test_an_unreadable_artifact_is_not_checked_and_the_reason_is_stored(unreadable):
    check = Witness()
    classified = classify(a_call(an_artifact()), check, lambda artifact_id: unreadable)
    assert classified == NotChecked(unreadable.reason)
    assert check.judged == []


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ({"status": 500}, SUCCESS),
        (None, SUCCESS),
        ({"ok": False}, SUCCESS),
        ("Traceback (most recent call last):\n  …", SUCCESS),
        ("Error: x", FAILURE),
        ("fatal: x", FAILURE),
        ({"is_error": True}, FAILURE),
    ],
    ids=repr,
)
def test_the_default_check_evaluates_exactly_what_the_sdks_evaluate(output, verdict):
    classified = classify(a_call(a_result(output)), DEFAULT, nothing_stored)
    assert isinstance(classified, Classification)
    assert (classified.verdict, classified.check, classified.version) == (verdict, "default", 1)


@given(json_values)
def test_an_output_has_the_same_verdict_inline_and_as_an_artifact(output):
    inline = classify(a_call(a_result(output)), DEFAULT, nothing_stored)
    assert inline == classify(a_call(an_artifact()), DEFAULT, lambda artifact_id: output)


@pytest.mark.parametrize(
    ("content", "media_type", "value"),
    [
        (b'{"ok":false}', "application/json", {"ok": False}),
        (b'{"ok":false}', "Application/JSON; charset=utf-8", {"ok": False}),
        (b'{"ok":false}', "text/plain", '{"ok":false}'),
        (b"Error: \xff", "application/octet-stream", "Error: \N{REPLACEMENT CHARACTER}"),
        (b"null", "application/json", None),
        (b" " * (CHECKED_LIMIT + 1), "text/plain", TOO_LARGE),
    ],
    ids=["json", "json with charset", "json as text", "binary", "null", "too large"],
)
def test_stored_json_is_parsed_and_other_content_is_text(content, media_type, value):
    assert artifact_value(content, media_type) == value


@pytest.mark.parametrize(
    "content",
    [b"{", b"NaN", b"-1e999", b'["\\uD83D"]', b"\xff", b"[" * 200_000],
    ids=["cut", "NaN", "beyond range", "half a character", "bytes", "deep"],
)
def test_invalid_json_is_unreadable(content):
    assert isinstance(artifact_value(content, "application/json"), Unreadable)


def test_an_escaped_surrogate_pair_is_one_character():
    assert artifact_value(b'"\\ud83d\\ude00"', "application/json") == "\U0001f600"


def test_an_artifact_of_sixteen_mebibytes_is_read_completely():
    assert artifact_value(b"x" * CHECKED_LIMIT, "text/plain") == "x" * CHECKED_LIMIT


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("no luck"), "no luck"),
        (RecursionError(), "RecursionError"),
        (KeyError("x"), "x"),
    ],
)
def test_a_call_whose_check_raises_is_not_checked_and_the_reason_is_stored(error, message):
    classified = classify(a_call(a_result(output=1)), Broken(error), nothing_stored)
    assert isinstance(classified, NotChecked)
    assert classified.reason.startswith("The check broken could not be evaluated: ")
    assert message in classified.reason


def test_a_long_error_of_a_check_is_truncated():
    classified = classify(
        a_call(a_result(output=1)), Broken(ValueError("x" * 9_000)), nothing_stored
    )
    assert isinstance(classified, NotChecked)
    assert len(classified.reason) == LONGEST_REASON

"""Every kind of outcome that an agent can report, read back over HTTP."""

import json
from typing import Any

import pytest

from tests.builders import an_outcome
from tests.outcomes.posting import Agent, settle

TRACEBACK = 'Traceback (most recent call last):\n  File "tool.py", line 1\nKeyError: 7'


def text_of(length: int) -> str:
    """Text whose JSON, including quotes, has this many characters."""
    return "é" * (length - 2)


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ({"status": 500}, "success"),
        (None, "success"),
        ({"ok": False}, "success"),
        (TRACEBACK, "success"),
        ("Error: x", "failure"),
        ("ERROR: x", "failure"),
        ("fatal: x", "failure"),
        ({"is_error": True}, "failure"),
        ({"is_error": 0}, "success"),
        ({"error": "posted as a result, so it stays one"}, "success"),
    ],
)
def test_an_output_is_classified_by_the_default_check(agent: Agent, output, verdict):
    agent.post(an_outcome("c", output=output, session_id="s"))
    call = agent.outcome("c")
    assert call["type"] == "execution_result"
    assert call["output"] == output
    assert (call["verdict"], call["classified"], call["checked"]) == (verdict, verdict, True)
    assert call["check"] == "default"
    assert call["model_content"] == json.dumps(output)
    counts = agent.session("s")["counts"]
    assert (counts["successes"], counts["failures"]) == ((1, 0) if verdict == "success" else (0, 1))


def test_a_call_without_an_output_is_not_checked(agent: Agent):
    agent.post(an_outcome("c", session_id="s"))
    call = agent.outcome("c")
    assert "output" not in call
    assert (call["verdict"], call["classified"], call["checked"]) == ("unknown", None, False)
    assert agent.session("s")["counts"]["unknown"] == 1


def test_an_output_over_twelve_thousand_characters_becomes_an_artifact(agent: Agent):
    agent.post(
        an_outcome("inline", output=text_of(12_000), session_id="s"),
        an_outcome("artifact", output=text_of(12_001), session_id="s"),
    )
    assert agent.outcome("inline")["type"] == "execution_result"
    assert agent.outcome("inline")["output"] == text_of(12_000)
    call = agent.outcome("artifact")
    assert call["type"] == "artifact_reference"
    assert call["summary"] == "é" * 200
    assert (call["verdict"], call["checked"]) == ("success", True)
    content = agent.client.get(f"/v1/artifacts/{call['artifact_id']}")
    assert b"".join(content).decode() == text_of(12_001)
    assert content["Content-Type"].startswith("text/plain")
    body = json.loads(call["model_content"])
    assert body["artifact_reference"] == call["artifact_id"]
    assert "read_file" in body["hint"]
    (listed,) = agent.session("s")["artifacts"]
    assert listed["call_id"] == "artifact"
    assert listed["size_bytes"] == len(text_of(12_001).encode())


def test_a_large_output_is_classified_by_its_full_content(agent: Agent):
    agent.post(
        an_outcome("text", output="Error: " + "x" * 20_000),
        an_outcome("object", output={"is_error": True, "text": "x" * 20_000}),
    )
    for call in ("text", "object"):
        assert agent.outcome(call)["type"] == "artifact_reference"
        assert agent.outcome(call)["classified"] == "failure"


def test_a_timeout_is_a_failure_without_a_check(agent: Agent):
    agent.post(an_outcome("c", type="timeout", deadline_s=30, elapsed_ms=30_004))
    call = agent.outcome("c")
    assert (call["deadline_s"], call["retryable"], call["elapsed_ms"]) == (30, True, 30_004)
    assert (call["verdict"], call["check"]) == ("failure", None)
    body = json.loads(call["model_content"])
    assert (body["status"], body["timed_out"], body["retryable"]) == ("error", True, True)


def test_a_failure_has_its_error_message(agent: Agent):
    agent.post(
        an_outcome("c", type="failure", error="no such table", retryable=False),
        an_outcome("silent", type="failure"),
    )
    call = agent.outcome("c")
    assert (call["error"], call["retryable"]) == ("no such table", False)
    assert (call["verdict"], call["check"]) == ("failure", None)
    assert json.loads(call["model_content"]) == {
        "status": "error",
        "error": "no such table",
        "retryable": False,
    }
    assert agent.outcome("silent")["error"] == "reported as failed"


DENIALS: dict[str, dict[str, Any]] = {
    "duplicate": {"warning": "duplicate_tool_call", "skipped": True},
    "blocked": {"warning": "non_retryable_tool_failure", "skipped": True},
    "pre_hook": {"error": "Blocked: not now", "blocked": True},
    "deadline": {"error": "Turn deadline expired; cannot execute tool.", "timed_out": True},
    "write_denied": {"error": "Blocked: not now", "blocked": True},
    "a_reason_of_its_own": {"error": "Blocked: not now", "blocked": True},
}


@pytest.mark.parametrize("reason", DENIALS)
def test_a_denial_has_no_verdict_and_gives_the_model_the_reason(agent: Agent, reason):
    agent.post(an_outcome("c", type="denied", reason=reason, details="not now", session_id="s"))
    call = agent.outcome("c")
    assert (call["reason"], call["details"], call["verdict"]) == (reason, "not now", None)
    assert json.loads(call["model_content"]) == DENIALS[reason]
    session = agent.session("s")
    assert session["denials"] == {reason: 1}
    assert session["success_rate"]["rate"] is None
    assert session["counts"]["executions"] == 0


def test_a_validation_denial_gives_the_model_its_details_and_a_hint(agent: Agent):
    agent.post(an_outcome("c", type="denied", reason="validation", details="url is missing"))
    body = json.loads(agent.outcome("c")["model_content"])
    assert body["error"] == "argument_validation_failed"
    assert body["details"] == "url is missing"
    assert body["hint"]


def test_an_artifact_stored_by_the_agent_is_not_checked(agent: Agent):
    agent.post(
        an_outcome("c", type="artifact_reference", artifact_id="s3://theirs", summary="s" * 300)
    )
    call = agent.outcome("c")
    assert (call["artifact_id"], call["summary"]) == ("s3://theirs", "s" * 200)
    assert (call["verdict"], call["checked"]) == ("unknown", False)
    assert "agent" in call["verdict_reason"]


def test_the_session_counts_all_outcomes(agent: Agent):
    outputs = [{"status": 500}, None, {"ok": False}, TRACEBACK]
    outputs += ["Error: x", "fatal: x", {"is_error": True}, text_of(12_000), text_of(12_001)]
    items = [an_outcome(f"c-{n}", output=value, turn_id="t") for n, value in enumerate(outputs)]
    items += [an_outcome("timeout", type="timeout"), an_outcome("failure", type="failure")]
    reasons = ["duplicate", "blocked", "pre_hook", "validation", "deadline", "write_denied"]
    items += [an_outcome(f"d-{reason}", type="denied", reason=reason) for reason in reasons]
    for item in items:
        item["session_id"] = "seed"
    agent.post(*items)
    session = agent.session("seed")
    counts = session["counts"]
    assert (counts["attempts"], counts["executions"], counts["denied"]) == (17, 11, 6)
    assert (counts["successes"], counts["failures"], counts["unknown"]) == (6, 5, 0)
    assert counts["executions_by_tool"] == {"http_get": 11}
    assert session["denials"] == dict.fromkeys(reasons, 1)
    assert session["success_rate"]["of"] == 11
    assert session["success_rate"]["rate"] == pytest.approx(6 / 11)


def test_wait_includes_everything_acknowledged_before(agent: Agent):
    body = json.dumps({"outcomes": [an_outcome("c")]}).encode()
    agent.door(body)
    assert agent.get("outcomes", wait=0)["settled"] is False
    settle()
    response = agent.get("outcomes", wait=30)
    assert response["settled"] is True
    assert [each["call_id"] for each in response["outcomes"]] == ["c"]

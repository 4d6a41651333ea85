"""Recorded traffic of real libraries becomes calls. `record.py` records it again."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests import builders
from tests.outcomes.posting import settle
from tests.recount import differences

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/otlp"
ACCOUNT = {"account": "A-2056"}
OUTPUT = {"ok": False, "message": "no account A-2056"}
# Session and agent as the library names them; None: the session is the trace.
SENT: dict[str, dict[str, Any]] = {
    "google-adk": {"tool_args": ACCOUNT, "session_id": "893d403b-5f3c-41ad-a1d1-e3798a4e4cb8"},
    "langchain-openinference": {"tool_args": "A-2056", "reported": "success"},
    "langchain-openllmetry": {"tool_args": ACCOUNT},
    "openai-agents-openinference": {"tool_args": ACCOUNT, "reported": "success"},
    "openllmetry-decorators": {"tool_args": ACCOUNT, "session_id": "conversation-7"},
    "pydantic-ai": {
        "tool_args": {"account": "a"},
        "output": {"ok": False, "message": "no account a"},
        "session_id": "01a1f7f9-70de-7656-a1df-3a6cdd48f7e0",
    },
    "vercel-ai-sdk": {"tool_args": ACCOUNT, "session_id": "conversation-7"},
}


@pytest.fixture
def send(project):
    exporter = builders.bearing(builders.a_key(project, "ingest")[0])

    def send(name: str) -> None:
        for post in json.loads((FIXTURES / f"{name}.json").read_text()):
            sent = exporter.post("/v1/traces", post, content_type="application/json")
            assert sent.status_code == 200, sent.content
            assert sent.json() == {}
        settle()

    return send


def test_every_recording_has_a_test():
    assert {file.stem for file in FIXTURES.iterdir()} == set(SENT)


@pytest.mark.parametrize("name", SENT)
def test_a_recorded_tool_call_becomes_one_call_with_its_output(send, agent, name):
    send(name)
    (call,) = (each for each in agent.outcomes() if each["tool_name"] == "crm_lookup")
    expected = {"output": OUTPUT, "agent_id": "billing-bot", "reported": None} | SENT[name]
    assert {field: call[field] for field in expected} == expected
    assert call["elapsed_ms"] > 0
    assert call["checked"]
    assert differences() == []


@pytest.mark.parametrize("name", ["langchain-openinference", "langchain-openllmetry"])
def test_a_tool_exception_becomes_a_failure_with_its_message(send, agent, name):
    send(name)
    (call,) = (each for each in agent.outcomes() if each["tool_name"] == "send_mail")
    assert (call["type"], call["verdict"]) == ("failure", "failure")
    assert call["error"] == "SMTP 451 for a@example.test: try again later"

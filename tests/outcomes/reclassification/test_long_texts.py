"""Long outputs are checked to their end, and a verdict on a truncated one is marked as such."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from governance.checks.language.shipped import shipped_text
from governance.core.roles import Role
from outcomes.models import Call, PastVerdict
from outcomes.web.addresses import call_url
from tests import builders
from tests.builders import an_outcome
from tests.governance.naming import a_check, bound, check_text
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_parts
from tests.recount import differences

TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 7\n'
LINE = "2026-11-18 06:00:00 INFO worker 7 took a job\n"
# Enough patterns to exhaust the work budget before the end of an eight-megabyte text.
MANY = [
    f"{{id: r{at}, when: {{result: {{matches: 'no{at}|nor{at}'}}}}, verdict: failure}}"
    for at in range(7)
]
SUCCEEDS = "{id: fine, when: {result: {type: string}}, verdict: success}"
LONG = "x" * 8_000_000


def traceback_text() -> str:
    """The built-in check under another name."""
    return (shipped_text("python-traceback") or "").replace("name: python-traceback", "name: mine")


def log(size: int) -> str:
    return LINE * (size // len(LINE)) + TRACEBACK


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


def run_job(client: Client, path: str, **body: Any) -> dict[str, Any]:
    response = client.post(f"/v1/{path}", json.dumps(body), content_type="application/json")
    assert response.status_code < 300, response.content
    result: dict[str, Any] = response.json()
    return result


def uploaded(agent: Agent, text: str) -> dict[str, Any]:
    """Fields of an outcome that refers to an uploaded artifact."""
    answer = agent.client.post("/v1/artifacts", text.encode(), content_type="text/plain")
    artifact = answer.json()["artifact_id"]
    return {"type": "artifact_reference", "artifact_id": artifact, "summary": text[:200]}


@pytest.mark.slow
@pytest.mark.parametrize("size", [80_000, pytest.param(8_000_000, marks=pytest.mark.one_database)])
def test_a_traceback_at_the_end_of_a_log_is_a_failure_in_every_code_path(
    project, agent: Agent, manager, size
):
    agent.post(an_outcome("early", output=log(size)))
    bound(project, "* python-traceback")
    agent.post(
        an_outcome("inline", output=log(size)),
        an_outcome("inside", output={"stderr": log(size), "exit": 0}),
        an_outcome("artifact", **uploaded(agent, log(size))),
    )
    commands_run(manager, "reclassifications")
    for call_id in ("early", "inline", "inside", "artifact"):
        call = agent.outcome(call_id)
        assert (call["verdict"], call["check"], call["cut"]) == (
            "failure",
            "python-traceback",
            False,
        )
    text = traceback_text()
    tried = run_job(manager, "success-checks/try", yaml=text, tool_name="t", result=log(size))
    assert (tried["verdict"], tried["cut"]) == ("failure", False)
    tried = run_job(manager, "success-checks/try", yaml=text, call_ids=["inline", "artifact"])
    assert [each["verdict"] for each in tried["calls"]] == ["failure"] * 2
    assert differences() == []


def commands_run(client: Client, path: str, **body: Any) -> dict[str, Any]:
    number = run_job(client, path, **body)["id"]
    run_waiting_parts()
    response: dict[str, Any] = client.get(f"/v1/{path}/{number}").json()
    assert response["status"] == "done"
    return response


def test_an_impact_preview_reads_long_outputs_to_their_end(project, agent: Agent, manager):
    agent.post(an_outcome("a", output=log(80_000)))
    text = traceback_text()
    result = commands_run(manager, "success-checks/backtests", yaml=text)
    (sample,) = result["samples"]["newly_failed"]
    assert (sample["call_id"], sample["cut"]) == ("a", False)


@pytest.mark.one_database
@pytest.mark.slow
def test_a_verdict_on_a_truncated_output_is_unknown_and_marked_as_such(
    project, agent: Agent, manager
):
    agent.post(an_outcome("a", output=LONG, tool_success=True))
    text = check_text(*MANY, SUCCEEDS)
    result = commands_run(manager, "success-checks/backtests", yaml=text)
    (sample,) = result["samples"]["otherwise_changed"]
    assert (sample["after"], sample["rule"], sample["cut"]) == ("unknown", "too-much-work", True)

    a_check(project, *MANY, SUCCEEDS)
    bound(project, "* mine")
    agent.post(an_outcome("b", output=LONG, tool_success=True), an_outcome("c", output="short"))
    commands_run(manager, "reclassifications")
    for call_id in ("a", "b"):
        call = agent.outcome(call_id)
        assert (call["verdict"], call["rule"], call["cut"]) == ("unknown", "too-much-work", True)
        assert call["verdict_reason"].startswith("`r6`")
        assert call["verdicts"][0]["cut"]
    assert {call["call_id"]: call["cut"] for call in agent.outcomes()} == {
        "a": True,
        "b": True,
        "c": False,
    }
    tried = run_job(manager, "success-checks/try", yaml=text, call_ids=["b", "c"])
    assert [each["cut"] for each in tried["calls"]] == [True, False]

    bound(project, "* default")
    commands_run(manager, "reclassifications")
    assert not Call.objects.filter(cut=True).exists()
    assert PastVerdict.objects.filter(cut=True).count() == 2
    assert [each["cut"] for each in agent.outcome("b")["verdicts"]] == [False, True]
    assert differences() == []


@pytest.mark.slow
def test_the_call_page_and_files_state_that_the_output_was_truncated(project, agent: Agent):
    a_check(project, *MANY)
    bound(project, "* mine")
    agent.post(an_outcome("b", output=LONG), an_outcome("c", output="short"))
    viewer = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    pages = {
        each: viewer.get(call_url(project.slug, each, "production")).content.decode()
        for each in "bc"
    }
    assert "read only part of the output" in pages["b"]
    assert "read only part of the output" not in pages["c"]
    calls = reverse("outcomes:calls", args=[project.slug])
    file = viewer.get(calls, {"format": "json"}).getvalue()
    rows = json.loads(file)["calls"]
    assert {row["call_id"]: row["cut"] for row in rows} == {"b": True, "c": False}


def test_an_output_truncated_by_the_agent_is_not_a_success(project, agent: Agent, manager):
    bound(project, "* python-traceback")
    part = {"tool_success": True, "metadata": {"output_cut": True}}
    agent.post(
        an_outcome("fine", output=LINE, **part),
        an_outcome("stored", **uploaded(agent, LINE * 900), **part),
        an_outcome("failed", output=log(900), **part),
        an_outcome("all", output=LINE, tool_success=True, metadata={"output_cut": "no"}),
    )
    expected = {
        "fine": ("unknown", "output-cut", True),
        "stored": ("unknown", "output-cut", True),
        "failed": ("failure", "text", True),
        "all": ("success", "otherwise", False),
    }

    def verdicts():
        return {
            call["call_id"]: (call["verdict"], call["rule"], call["cut"])
            for call in agent.outcomes()
        }

    assert verdicts() == expected
    text = traceback_text()
    tried = run_job(manager, "success-checks/try", yaml=text, call_ids=list(expected))
    assert {
        each["call_id"]: (each["verdict"], each["rule"], each["cut"]) for each in tried["calls"]
    } == expected

    bound(project, "nothing default")
    commands_run(manager, "reclassifications")
    assert agent.outcome("fine")["decided_by"] == "agent"
    bound(project, "* python-traceback")
    commands_run(manager, "reclassifications")
    assert verdicts() == expected
    agent.post(an_outcome("fine", output=LINE, **part))
    assert verdicts() == expected
    assert differences() == []

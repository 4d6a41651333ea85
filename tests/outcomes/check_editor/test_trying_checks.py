"""Trying a check over HTTP, on a posted output and on stored calls."""

import json

import pytest

from tests.builders import an_outcome
from tests.governance.naming import FAILS, a_check, bound, check_text
from tests.outcomes.posting import Agent

HTTP = (
    '{when: {"result.status ?? result.code": {gte: 400}}, id: http, verdict: failure,'
    ' reason: "HTTP {value}", label: retryable}'
)
TEXT = check_text(HTTP)


def tried(agent: Agent, **body: object):
    path = f"{agent.prefix}/success-checks/try"
    answer = agent.client.post(path, body, content_type="application/json")
    return answer.status_code, answer.json()


def test_an_output_is_classified_by_the_posted_check(agent: Agent):
    status, explanation = tried(agent, yaml=TEXT, tool_name="http_get", result={"code": 503})
    assert status == 200
    assert explanation["verdict"] == "failure"
    assert (explanation["rule"], explanation["selector"], explanation["value"]) == (
        "http",
        "result.status ?? result.code",
        503,
    )
    assert (explanation["reason"], explanation["labels"], explanation["cut"]) == (
        "HTTP 503",
        ["retryable"],
        False,
    )
    assert explanation["problems"] == []


def test_null_is_an_output_and_elapsed_ms_is_evaluated(agent: Agent):
    text = check_text(
        '{when: {result: {type: "null"}}, id: nothing, verdict: unknown}',
        "{when: {elapsed_ms: {gt: 50}}, id: late, verdict: failure}",
    )
    assert tried(agent, yaml=text, result=None)[1]["rule"] == "nothing"
    assert tried(agent, yaml=text, result=1, elapsed_ms=51)[1]["rule"] == "late"
    assert tried(agent, yaml=text, result=1)[1]["rule"] == "otherwise"


def test_included_checks_are_evaluated(project, agent: Agent):
    a_check(project, FAILS, name="base")
    text = check_text(include=("base",))
    assert tried(agent, yaml=text, result={"ok": False})[1]["rule"] == "base/not-ok"


def test_includes_stay_pinned_until_the_newer_version_is_requested(project, agent: Agent):
    a_check(project, FAILS, name="base")
    a_check(project, HTTP, include=("base",), name="mine")
    a_check(project, FAILS.replace("not-ok", "mended"), name="base")
    fields = {"yaml": check_text(HTTP, include=("base",)), "result": {"ok": False}}
    assert tried(agent, **fields)[1]["rule"] == "base/not-ok"
    assert tried(agent, **fields, newer_included=True)[1]["rule"] == "base/mended"
    fields["yaml"] = check_text(HTTP, include=("base",), name="another")
    assert tried(agent, **fields)[1]["rule"] == "base/mended"


def test_an_unparsable_check_is_422_with_lines(agent: Agent):
    status, answer = tried(agent, yaml=TEXT.replace("gte", "gteq"), result=1)
    assert (status, answer["code"], answer["errors"][0]["line"]) == (422, "invalid_document", 6)


def test_a_check_with_a_broken_example_returns_its_verdict_and_the_problem(agent: Agent):
    text = check_text(HTTP, examples=("{result: {code: 500}, verdict: success}",))
    status, explanation = tried(agent, yaml=text, result={"code": 500})
    assert (status, explanation["verdict"]) == (200, "failure")
    assert [problem["line"] for problem in explanation["problems"]] == [8]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tool_name": "x"},
        {"result": 1, "call_ids": ["a"]},
        {"call_ids": ["x"] * 201},
        {"result": "\ud800"},
        {"result": 1, "elapsed_ms": -1},
        {"result": 1, "more": 1},
    ],
)
def test_a_body_of_another_shape_is_422(agent: Agent, body):
    assert tried(agent, yaml=TEXT, **body)[0] == 422


def test_invalid_json_is_422(agent: Agent):
    body = json.dumps({"yaml": TEXT, "result": float("nan")})
    path = "/v1/success-checks/try"
    assert agent.client.post(path, body, content_type="application/json").status_code == 422


def test_verdicts_for_stored_calls_are_returned_with_their_current_verdicts(project, agent: Agent):
    a_check(project, FAILS)
    bound(project, "* mine")
    agent.post(
        an_outcome("a", output={"code": 503}),
        an_outcome("b", output={"code": 200, "pad": "x" * 20_000}),
        an_outcome("open"),
        {"type": "timeout", "call_id": "late", "tool_name": "t"},
        {
            "type": "artifact_reference",
            "call_id": "kept",
            "tool_name": "t",
            "artifact_id": "elsewhere",
        },
    )
    names = ["b", "a", "a", "open", "late", "kept", "nowhere"]
    status, explanation = tried(agent, yaml=TEXT, call_ids=names)
    assert status == 200
    assert explanation["missing"] == ["nowhere"]
    by_id = {call["call_id"]: call for call in explanation["calls"]}
    assert list(by_id) == ["b", "a", "open", "late", "kept"]
    assert (by_id["a"]["verdict"], by_id["a"]["value"]) == ("failure", 503)
    assert by_id["a"]["present"] == {
        "verdict": "success",
        "effective": "success",
        "decided_by": "check",
        "check": "mine",
        "version": 1,
        "rule": "otherwise",
    }
    assert by_id["b"]["verdict"] == "success"
    assert (by_id["open"]["verdict"], by_id["late"]["verdict"]) == (None, "failure")
    assert by_id["kept"]["not_checked"] == "The output is stored by the agent."


def test_large_outputs_are_checked_up_to_a_byte_budget_per_response(agent: Agent, monkeypatch):
    monkeypatch.setattr("outcomes.check_editor.api.MOST_BYTES", 30_000)
    for call_id in ("a", "b"):
        agent.post(an_outcome(call_id, output={"code": 500, "pad": call_id * 20_000}))
    _, explanation = tried(agent, yaml=TEXT, call_ids=["a", "b"])
    first, second = explanation["calls"]
    assert (first["verdict"], second["verdict"]) == ("failure", None)
    assert "too large" in second["not_checked"]


def test_trying_a_check_writes_nothing(project, agent: Agent):
    agent.post(an_outcome("a", output={"code": 503}))
    tried(agent, yaml=TEXT, call_ids=["a"])
    assert agent.outcome("a")["verdict"] == "success"
    assert agent.client.get("/v1/success-checks/mine").status_code == 404

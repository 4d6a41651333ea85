"""Failures that only a framework's adapter detects stay failures if the client also sends the
output.

What LangChain, Google ADK and Semantic Kernel made edictum and the client send is recorded in
`tests/fixtures/framework-failures.json`; `tests/sdks/test_adapters.py` holds it to the frameworks.
"""

import json
from pathlib import Path

import pytest

from tests.governance.naming import bound
from tests.outcomes.posting import Agent
from tests.recount import differences

RECORDED = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "framework-failures.json").read_text()
)
SHIPPED = {
    "google_adk": "google-adk",
    "langchain": "langchain",
    "semantic_kernel": "semantic-kernel",
}

every_framework = pytest.mark.parametrize("framework", RECORDED)


def the_call(agent: Agent, framework: str):
    return agent.outcome(RECORDED[framework]["outcome"]["call_id"])


@every_framework
def test_without_our_client_the_sdk_event_is_a_failure(agent, framework):
    agent.post_events(*RECORDED[framework]["events"])
    call = the_call(agent, framework)
    assert (call["type"], call["verdict"]) == ("failure", "failure")


@every_framework
@pytest.mark.parametrize("outcome_first", [True, False])
def test_with_our_client_the_call_is_still_a_failure(agent, framework, outcome_first):
    if outcome_first:
        agent.post(RECORDED[framework]["outcome"])
    agent.post_events(*RECORDED[framework]["events"])
    if not outcome_first:
        agent.post(RECORDED[framework]["outcome"])
    call = the_call(agent, framework)
    assert (call["type"], call["classified"]) == ("execution_result", "success")
    assert (call["verdict"], call["decided_by"]) == ("failure", "agent")
    assert call["disagreement"] is False
    assert agent.session(call["session_id"])["counts"]["failures"] == 1
    assert differences() == []


@every_framework
def test_the_built_in_check_of_the_framework_agrees_once_bound(project, agent, framework):
    bound(project, f"* {SHIPPED[framework]}")
    agent.post(RECORDED[framework]["outcome"])
    call = the_call(agent, framework)
    assert (call["verdict"], call["decided_by"], call["disagreement"]) == (
        "failure",
        "check",
        False,
    )

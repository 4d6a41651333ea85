"""The limits of a session are those of the contract version that governed its calls."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests import builders
from tests.governance.contracts.documents import document
from tests.outcomes.posting import Agent


def text_of(name: str, *limits: str) -> str:
    then = "then: {action: block, message: m}"
    rules = [
        f"{{id: s{place}, type: session, limits: {limit}, {then}}}"
        for place, limit in enumerate(limits)
    ]
    return document(*rules).replace("name: d", f"name: {name}")


def save(agent: Agent, text: str) -> dict[str, object]:
    answer = agent.client.post("/v1/contracts", {"yaml": text}, content_type="application/json")
    assert answer.status_code == 201, answer.content
    saved: dict[str, object] = answer.json()
    return saved


def deploy(agent: Agent, name: str, version: object, env: str = "production") -> None:
    answer = agent.client.post(
        f"/v1/contracts/{name}/deployments",
        {"version": version, "env": env},
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content


def limited(agent: Agent, text: str, *, env: str = "production") -> dict[str, object]:
    """Save and deploy a version."""
    version = save(agent, text)
    deploy(agent, str(version["name"]), version["version"], env)
    return version


def run(agent: Agent, *outputs: object, session: str = "s-1", **fields: Any) -> None:
    agent.post(
        *(
            builders.an_outcome(session_id=session, output=output, tool_success=True, **fields)
            for output in outputs
        )
    )


def limits(agent: Agent, session: str = "s-1") -> list[tuple[str, str | None, int]]:
    return [
        (limit["limit"], limit["tool"], limit["value"])
        for limit in agent.session(session)["limits"]
    ]


@pytest.fixture
def laxer(agent: Agent) -> None:
    """Another deployed contract, which no test is about."""
    limited(agent, text_of("laxer", "{max_tool_calls: 99}"))


@pytest.mark.usefixtures("laxer")
def test_the_contract_hash_sent_by_the_agent_selects_the_limits(agent):
    version = save(agent, text_of("strict", "{max_tool_calls: 2}"))
    save(agent, text_of("strict", "{max_tool_calls: 5}"))
    run(agent, "fine", "Error: no such table", "fine", policy_version=version["revision_hash"])
    (limit,) = agent.session("s-1")["limits"]
    assert (limit["limit"], limit["value"], limit["assumed"]) == ("max_tool_calls", 2, False)
    assert limit["used"] == {"executions": 3, "reported": 3, "classified": 2}
    assert limit["reached_at"] == {"executions": 2, "reported": 2, "classified": 3}


def test_an_uppercase_contract_hash_is_equivalent(agent):
    version = save(agent, text_of("strict", "{max_tool_calls: 2}"))
    run(agent, "fine", policy_version=str(version["revision_hash"]).upper())
    assert limits(agent) == [("max_tool_calls", None, 2)]


def test_limits_of_a_contract_in_the_old_format_apply_equally(agent):
    text = text_of("strict", "{max_tool_calls: 2}")
    words = {"Ruleset": "ContractBundle", "rules:": "contracts:", "action: block": "effect: deny"}
    for new, old in words.items():
        text = text.replace(new, old)
    version = save(agent, text)
    assert version["dialect"] == "old"
    run(agent, "fine", policy_version=version["revision_hash"])
    assert limits(agent) == [("max_tool_calls", None, 2)]


@pytest.mark.usefixtures("laxer")
def test_the_named_contract_as_deployed_at_the_call_time_selects_the_limits(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 2}"))
    at = timezone.now().isoformat()
    limited(agent, text_of("strict", "{max_tool_calls: 5}"))
    run(agent, "fine", bundle_name="strict", timestamp=at)
    run(agent, "fine", bundle_name="strict", session="s-2")
    assert limits(agent) == [("max_tool_calls", None, 2)]
    assert limits(agent, "s-2") == [("max_tool_calls", None, 5)]


def test_the_only_contract_deployed_in_the_environment_selects_the_limits(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 5, max_calls_per_tool: {http_get: 1}}"))
    limited(agent, text_of("laxer", "{max_tool_calls: 99}"), env="staging")
    run(agent, "Error: x", "fine")
    assert limits(agent) == [("max_tool_calls", None, 5), ("max_calls_per_tool", "http_get", 1)]
    tool_limit = agent.session("s-1")["limits"][1]
    assert tool_limit["reached_at"] == {"executions": 1, "reported": 1, "classified": 2}


@pytest.mark.usefixtures("laxer")
def test_with_two_deployed_contracts_and_no_assignment_no_limits_apply(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 2}"))
    run(agent, "fine")
    assert limits(agent) == []


def assign(agent: Agent, name: str, **rule: object) -> None:
    body = {"bundle_name": name, "env": "production"} | rule
    answer = agent.client.put("/v1/assignments", body, content_type="application/json")
    assert answer.status_code == 201, answer.content


@pytest.mark.usefixtures("laxer")
def test_with_two_deployed_contracts_the_one_assigned_at_the_call_time_applies(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 2}"))
    assign(agent, "laxer")
    assign(agent, "strict", agent_id="billing-*")
    run(agent, "fine", agent_id="billing-1")
    run(agent, "fine", agent_id="search-1", session="s-2")
    assign(agent, "laxer", agent_id="billing-*")
    run(agent, "fine", agent_id="billing-1", session="s-3")
    assert limits(agent) == [("max_tool_calls", None, 2)]
    assert limits(agent, "s-2") == limits(agent, "s-3") == [("max_tool_calls", None, 99)]
    run(agent, "fine", agent_id="billing-1", session="s-4", bundle_name="strict")
    assert limits(agent, "s-4") == [("max_tool_calls", None, 2)]


@pytest.mark.usefixtures("laxer")
def test_an_assignment_by_tags_does_not_select_limits(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 2}"))
    assign(agent, "laxer")
    assign(agent, "strict", tags={"team": "a"})
    run(agent, "fine")
    assert limits(agent) == []


@pytest.mark.usefixtures("laxer")
def test_a_contract_applies_no_limits_before_its_deployment(agent):
    before = timezone.now() - timedelta(hours=1)
    run(agent, "fine", timestamp=before.isoformat())
    run(agent, "fine", timestamp=before.isoformat(), bundle_name="laxer", session="s-2")
    assert limits(agent) == limits(agent, "s-2") == []


@pytest.mark.usefixtures("laxer")
@pytest.mark.parametrize(
    "named",
    [{"policy_version": "f" * 64}, {"bundle_name": "unknown"}],
    ids=["hash", "bundle"],
)
def test_an_unknown_contract_applies_no_limits(agent, named):
    run(agent, "fine", **named)
    assert limits(agent) == []


def test_the_lowest_of_several_limits_applies(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 5}", "{max_tool_calls: 3}"))
    run(agent, "fine")
    assert limits(agent) == [("max_tool_calls", None, 3)]


def test_a_rollback_restores_the_earlier_limits(agent):
    limited(agent, text_of("strict", "{max_tool_calls: 2}"))
    limited(agent, text_of("strict", "{max_tool_calls: 5}"))
    deploy(agent, "strict", 1)
    run(agent, "fine")
    assert limits(agent) == [("max_tool_calls", None, 2)]
    outcome = agent.outcomes(session="s-1")[0]
    assert outcome["contract"] == {"name": "strict", "version": 1}


def test_a_contract_of_another_project_applies_no_limits(agent):
    other = Agent(builders.bearing(builders.a_key(builders.a_project(), "manage")[0]))
    elsewhere = limited(other, text_of("strict", "{max_tool_calls: 2}"))
    run(agent, "fine", policy_version=elsewhere["revision_hash"])
    run(agent, "fine", session="s-2")
    assert limits(agent) == limits(agent, "s-2") == []


def test_contract_limits_apply_to_sdk_events_in_addition_to_sdk_limits(agent):
    version = save(agent, text_of("strict", "{max_tool_calls: 500}"))
    agent.post_events(builders.an_event(policy_version=version["revision_hash"], run_id="s-1"))
    limits = agent.session("s-1")["limits"]
    assert [(limit["limit"], limit["value"], limit["assumed"]) for limit in limits] == [
        ("max_attempts", 500, True),
        ("max_tool_calls", 500, False),
        ("max_tool_calls", 200, True),
    ]

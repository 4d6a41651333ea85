"""Events of every SDK format are read as the same event."""

import json
from typing import Any

import pytest

from outcomes.record.wire.sdk import ACTIONS
from tests import builders
from tests.builders import an_event
from tests.outcomes.posting import Agent

ON_TOP = ("call_id", "agent_id", "tool_name", "mode", "timestamp")


def nested(event: dict[str, Any], verb: str) -> dict[str, Any]:
    """Format of SDKs before 0.18: another name for the action, and the rest in a payload."""
    action = event["action"]
    rest = {k: v for k, v in event.items() if k not in ON_TOP and k != "action"}
    return {name: event[name] for name in ON_TOP} | {verb: action, "payload": rest}


def flat(event: dict[str, Any]) -> dict[str, Any]:
    return event


def with_verdict(event: dict[str, Any]) -> dict[str, Any]:
    return nested(event, "verdict")


def with_decision(event: dict[str, Any]) -> dict[str, Any]:
    return nested(event, "decision")


def in_upper_case(event: dict[str, Any]) -> dict[str, Any]:
    return nested(event | {"action": event["action"].upper()}, "verdict")


SHAPES = [flat, with_verdict, with_decision, in_upper_case]
DENIED = an_event(
    "call_denied",
    "c-1",
    decision_source="yaml_precondition",
    decision_name="no-deletes",
    reason="Not on a Friday",
    policy_version="f" * 64,
    principal={"role": "analyst"},
)


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_event_format_is_read_under_both_url_prefixes(agent: Agent, shape, prefix):
    agent.prefix = prefix
    agent.post_events(shape(DENIED))
    call = agent.outcome("c-1")
    assert call["type"] == "denied"
    assert (call["reason"], call["details"]) == ("contract", "Not on a Friday")
    assert call["decision_name"] == "no-deletes"
    assert call["tool_args"] == {"url": "https://example.test"}
    assert call["principal"] == {"role": "analyst"}
    assert call["session_id"] == "session-1"
    assert call["policy_version"] == "f" * 64
    assert call["verdict"] is None


def test_an_event_sent_in_all_formats_is_stored_once(agent: Agent):
    agent.post_events(*(shape(DENIED) for shape in SHAPES))
    assert len(agent.outcome("c-1")["events"]) == 1


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_every_sdk_action_is_accepted(agent: Agent, action):
    assert agent.post_events(an_event(action))["rejected"] == []


@pytest.mark.parametrize(
    ("action", "source", "kind", "reason"),
    [
        ("call_blocked", "yaml_precondition", "denied", "contract"),
        ("call_blocked", "yaml_sandbox", "denied", "contract"),
        ("call_blocked", "yaml_session", "denied", "limit"),
        ("call_blocked", "attempt_limit", "denied", "limit"),
        ("call_blocked", "operation_limit", "denied", "limit"),
        ("call_blocked", "hook", "denied", "pre_hook"),
        ("call_blocked", "workflow", "denied", "workflow"),
        ("call_blocked", None, "denied", "contract"),
        ("call_blocked", "a_new_source", "denied", "a_new_source"),
        ("call_approval_blocked", "yaml_precondition", "denied", "approval"),
        ("call_approval_timeout", None, "denied", "approval"),
        ("call_allowed", None, None, None),
        ("call_asked", "yaml_precondition", None, None),
        ("call_approval_granted", None, None, None),
        ("call_executed", None, "execution_result", None),
        ("call_failed", None, "failure", None),
    ],
)
def test_each_event_action_maps_to_an_outcome(agent: Agent, action, source, kind, reason):
    agent.post_events(an_event(action, "c-1", decision_source=source))
    call = agent.outcome("c-1")
    assert (call["type"], call.get("reason")) == (kind, reason)


@pytest.mark.parametrize(
    ("action", "flag", "verdict"),
    [
        ("call_executed", None, "success"),
        ("call_executed", False, "failure"),
        ("call_failed", None, "failure"),
    ],
)
def test_the_reported_verdict_is_explicit_or_follows_from_the_action(
    agent: Agent, action, flag, verdict
):
    agent.post_events(an_event(action, "c-1", tool_success=flag))
    call = agent.outcome("c-1")
    assert (call["reported"], call["verdict"]) == (verdict, verdict)
    assert "output" not in call


def test_the_constant_zero_duration_of_the_sdks_is_ignored(agent: Agent):
    agent.post_events(
        an_event(call_id="constant", duration_ms=0), an_event(call_id="measured", duration_ms=41)
    )
    assert agent.outcome("constant")["elapsed_ms"] is None
    assert agent.outcome("measured")["elapsed_ms"] == 41


@pytest.mark.parametrize("impossible", [-5, 1e300])
def test_an_impossible_duration_is_dropped(agent: Agent, impossible):
    agent.post_events(an_event(call_id="odd", duration_ms=impossible))
    assert agent.outcome("odd")["elapsed_ms"] is None


def test_workflow_and_postcondition_events_are_stored_without_a_call(agent: Agent):
    answered = agent.post_events(
        an_event("workflow_stage_advanced", "w-1"), an_event("postcondition_warning", "w-2")
    )
    assert answered["accepted"] == 2
    assert agent.outcomes() == []
    actions = {event["action"] for event in agent.get("events")["events"]}
    assert actions == {"workflow_stage_advanced", "postcondition_warning"}


def test_an_observe_mode_denial_marks_the_call_that_ran(agent: Agent):
    agent.post_events(
        an_event("call_would_deny", "c-1", mode="observe", decision_name="no-deletes"),
        an_event("call_allowed", "c-1"),
        an_event("call_executed", "c-1"),
    )
    call = agent.outcome("c-1")
    assert (call["type"], call["would_deny"]) == ("execution_result", True)


def test_the_environment_comes_from_the_key_and_the_reported_one_is_stored(agent: Agent):
    agent.post_events(an_event(call_id="c-1", environment="staging"))
    call = agent.outcome("c-1")
    assert (call["environment"], call["reported_environment"]) == ("production", "staging")


def test_the_agent_manifest_of_an_old_gate_is_accepted(agent: Agent):
    body = {"agent_manifest": {"agent_id": "a", "contracts": []}, "events": [an_event()]}
    assert agent.door(json.dumps(body).encode(), to="events")["accepted"] == 1


def test_the_old_ingest_path_accepts_events(agent: Agent):
    body = json.dumps({"events": [an_event()]}).encode()
    response = agent.send("audit/ingest", body)
    assert (response.status_code, response.json()["accepted"]) == (202, 1)


def test_an_agent_that_does_not_match_the_keys_glob_is_rejected(project):
    text, _ = builders.a_key(project, "agent", agent="billing-*")
    agent = Agent(builders.bearing(text))
    answered = agent.post_events(an_event(agent_id="billing-1"), an_event(agent_id="support-1"))
    assert [each["code"] for each in answered["rejected"]] == ["foreign_agent"]
    foreign = Agent(builders.bearing(text, **{"X-Edictum-Agent-Id": "support-1"}))
    assert foreign.send("events", b'{"events": []}').status_code == 403

"""Unknown fields of an item are accepted, ignored and listed as warnings."""

import json

import pytest

from tests.items import an_event, an_outcome
from tests.outcomes.posting import Agent, codes

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_unknown_field_is_accepted_with_a_warning_and_its_index(agent: Agent):
    answered = agent.post(
        an_outcome("known", output={"status": 200}),
        an_outcome("misspelt", outputs={"status": 500}, durations=[1]),
    )
    assert (answered["accepted"], answered["rejected"]) == (2, [])
    assert answered["warnings"] == [
        {"index": 1, "field": "outputs"},
        {"index": 1, "field": "durations"},
    ]
    assert "output" not in agent.outcome("misspelt")


def test_documented_fields_cause_no_warning(agent: Agent):
    item = an_outcome(
        output=None,
        error="x",
        reason="duplicate",
        details="x",
        artifact_id="a",
        summary="x",
        size_bytes=1,
        deadline_s=1.5,
        elapsed_ms=1,
        retryable=True,
        was_coerced=False,
        agent_id="a",
        session_id="s",
        run_id="r",
        turn_id="t",
        environment="production",
        timestamp="2026-11-18T06:00:00Z",
        idempotent=True,
        side_effect="read",
        tool_success=True,
        policy_version="p",
        bundle_name="b",
        decision_name="d",
        call_index=1,
        parent_call_id="c",
        parent_session_id="s",
    )
    assert agent.post(item)["warnings"] == []


def test_keys_inside_free_form_fields_cause_no_warning(agent: Agent):
    free = {"outputs": 1, "anything": {"at": "all"}}
    item = an_outcome(output=free, metadata=free, principal=free, tool_args=free)
    assert agent.post(item)["warnings"] == []


def test_a_rejected_item_causes_no_warning(agent: Agent):
    answered = agent.post(an_outcome(type="unheard_of", outputs=1), an_outcome(outputs=1))
    assert codes(answered) == [(0, "unknown_type")]
    assert answered["warnings"] == [{"index": 1, "field": "outputs"}]


def test_an_invalid_neighbor_does_not_affect_warnings(agent: Agent):
    misspelt = json.dumps(an_outcome(outputs=1)).encode()
    broken = json.dumps(an_outcome(output="N")).encode().replace(b'"N"', b"NaN")
    answered = agent.door_of_raw(broken, misspelt)
    assert codes(answered) == [(0, "not_a_number")]
    assert answered["warnings"] == [{"index": 1, "field": "outputs"}]


def test_warnings_are_limited_to_a_hundred_short_names(agent: Agent):
    long = "x" * 5_000
    items = [an_outcome() | {long: 1, f"f{number}": 2} for number in range(200)]
    answered = agent.door(json.dumps({"outcomes": items}).encode())
    assert answered["accepted"] == 200
    assert len(answered["warnings"]) == 100
    assert answered["warnings"][0] == {"index": 0, "field": "x" * 128}
    assert answered["warnings"][-1] == {"index": 49, "field": "f49"}


def test_unknown_fields_of_sdk_events_cause_no_warning(agent: Agent):
    assert agent.post_events(an_event(of_a_later_version=1))["warnings"] == []

"""Denial reasons, and the identity of an event that is sent twice."""

from datetime import timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcomes.record.event import Report, outcome_digest, reason_of, sdk_event_digest
from tests.outcomes.record.values import NOON


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("yaml_precondition", "contract"),
        ("yaml_sandbox", "contract"),
        ("precondition", "contract"),
        ("yaml_session", "limit"),
        ("attempt_limit", "limit"),
        ("operation_limit", "limit"),
        ("hook", "pre_hook"),
        ("workflow", "workflow"),
        (None, "contract"),
        ("", "contract"),
        ("house_rules", "house_rules"),
    ],
)
def test_the_denial_reason_follows_from_the_decision_source(source, reason):
    assert reason_of(source, "denial") == reason


@pytest.mark.parametrize("source", [None, "hook", "yaml_session", "house_rules"])
def test_a_rejected_approval_has_the_reason_approval_whatever_its_source(source):
    assert reason_of(source, "approval") == "approval"


def test_every_report_type_has_a_unique_name():
    kinds = [report.kind for report in get_args(Report)]
    assert len(set(kinds)) == len(kinds) == 11


IDENTITY: dict[str, Any] = {
    "environment": "production",
    "agent_id": "bot",
    "call_id": "c-1",
    "action": "call_blocked",
    "decision_name": "no-drop",
    "mode": "enforce",
    "timestamp": NOON,
}


@pytest.mark.parametrize(
    "other",
    [
        {"environment": "staging"},
        {"agent_id": "another"},
        {"call_id": "c-2"},
        {"action": "call_would_block"},
        {"decision_name": "no-write"},
        {"decision_name": None},
        {"decision_name": ""},
        {"mode": "observe"},
        {"timestamp": NOON + timedelta(microseconds=1)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_sdk_events_differ_if_any_part_of_their_identity_differs(other):
    digest = sdk_event_digest(**IDENTITY)
    assert digest == sdk_event_digest(**IDENTITY)
    assert len(digest) == 32
    assert sdk_event_digest(**(IDENTITY | other)) != digest


parts = st.text(alphabet="a1:-", max_size=4)


@given(st.tuples(parts, parts, parts, parts, st.none() | parts, parts))
def test_parts_of_an_event_identity_are_delimited(values):
    environment, agent, call, action, name, mode = values
    digest = sdk_event_digest(environment, agent, call, action, name, mode, NOON)
    shifted = (environment + agent, call, action, mode, name, environment)
    if shifted != values:
        assert (
            sdk_event_digest(environment + agent, call, action, mode, name, environment, NOON)
            != digest
        )


def test_posted_outcomes_are_equal_if_call_and_item_are():
    item, other_item = b"\1" * 32, b"\2" * 32
    assert outcome_digest("c-1", item) == outcome_digest("c-1", item)
    assert outcome_digest("c-1", item) != outcome_digest("c-2", item)
    assert outcome_digest("c-1", item) != outcome_digest("c-1", other_item)
    assert len(outcome_digest("c-1", item)) == 32

"""Counts are exact for any events, in any order, with any batches and repeats."""

import json
import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from outcomes.stored import names
from tests import builders
from tests.builders import an_event, an_outcome
from tests.examples import with_a_database
from tests.outcomes.posting import Agent, settle
from tests.recount import differences

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
ACTIONS = [
    "call_allowed",
    "call_executed",
    "call_failed",
    "call_blocked",
    "call_asked",
    "call_approval_blocked",
    "call_would_block",
    "workflow_completed",
]
LARGE = "x" * 13_000
calls = st.sampled_from([f"call-{n}" for n in range(6)])
tools = st.sampled_from(["read_file", "http_get"])
agents = st.sampled_from(["billing-bot", "support-bot"])
sessions = st.sampled_from(["s-1", "s-2", None])
times = st.integers(0, 200).map(lambda n: (NOON + timedelta(seconds=n)).isoformat())
# Arguments with which a model reads an artifact again, stored here or by its agent.
request_fields = st.sampled_from(
    [
        None,
        {"path": "a.txt"},
        {"artifact_reference": "kept"},
        {"url": f"/artifacts/{sha256(LARGE.encode()).hexdigest()}"},
    ]
)
outputs = st.sampled_from([None, {"ok": False}, "Error: x", {"is_error": True}, [1, 2], LARGE])
reasons = st.sampled_from(["duplicate", "limit", "contract"])
LIMITS = {"max_tool_calls": 2, "max_calls_per_tool": {"http_get": 1}}


@st.composite
def posted(draw: st.DrawFn) -> dict[str, Any]:
    special: dict[str, st.SearchStrategy[dict[str, Any]]] = {
        "execution_result": st.fixed_dictionaries({"output": outputs}),
        "timeout": st.just({"deadline_s": 30}),
        "failure": st.fixed_dictionaries({"error": st.just("broken"), "retryable": st.booleans()}),
        "denied": st.fixed_dictionaries({"reason": reasons}),
        "artifact_reference": st.fixed_dictionaries(
            {"artifact_id": st.just("kept"), "size_bytes": st.integers(0, 9)}
        ),
    }
    kind = draw(st.sampled_from(sorted(special)))
    return an_outcome(
        draw(calls),
        type=kind,
        tool_name=draw(tools),
        tool_args=draw(request_fields),
        agent_id=draw(agents),
        session_id=draw(sessions),
        turn_id=draw(st.sampled_from(["t-1", "t-2", None])),
        idempotent=draw(st.booleans()),
        timestamp=draw(times),
        tool_success=draw(st.sampled_from([True, False, None])),
        call_index=draw(st.integers(0, 2)),
        **draw(special[kind]),
    )


@st.composite
def sdk_events(draw: st.DrawFn) -> dict[str, Any]:
    return an_event(
        draw(st.sampled_from(ACTIONS)),
        draw(calls),
        tool_name=draw(tools),
        agent_id=draw(agents),
        run_id=draw(sessions),
        timestamp=draw(times),
        tool_success=draw(st.sampled_from([True, False, None])),
        decision_source=draw(st.sampled_from(["yaml_precondition", "yaml_session", None])),
        call_index=draw(st.integers(0, 2)),
    )


Item = tuple[str, dict[str, Any]]
Items = list[Item]
Sent = TypeVar("Sent")
item = st.tuples(st.just("outcomes"), posted()) | st.tuples(st.just("events"), sdk_events())


def identity(sent: Item) -> str:
    """Identity of an SDK event. Of events with the same identity the first is stored."""
    path, fields = sent
    if path == "events":
        fields = {name: fields[name] for name in ("agent_id", "call_id", "action", "timestamp")}
    return json.dumps([path, fields], sort_keys=True)


def batches_of(sent: list[Sent], cuts: list[int]) -> list[list[Sent]]:
    places = sorted({0, len(sent), *(cut % (len(sent) + 1) for cut in cuts)})
    return [sent[a:b] for a, b in pairwise(places)]


def send(agent: Agent, batch: Items) -> None:
    for path in ("outcomes", "events"):
        part = [item for to, item in batch if to == path]
        if part:
            assert agent.door(json.dumps({path: part}).encode(), to=path)["rejected"] == []


def reported(agent: Agent) -> list[dict[str, Any]]:
    """All calls without the fields that depend on arrival time."""
    listed = [
        {name: value for name, value in call.items() if name != "received_at"}
        for call in agent.outcomes()
    ]
    return sorted(listed, key=lambda call: str(call["call_id"]))


def in_a_project_of_its_own(version_limits: dict[str, Any]) -> Agent:
    names.forget()
    project = builders.a_project()
    builders.deployed(builders.a_version(project, **version_limits), at=NOON)
    builders.deployed(
        builders.a_version(project, max_tool_calls=1), at=NOON + timedelta(seconds=100)
    )
    return Agent(builders.bearing(builders.a_key(project, "agent", "read")[0]))


def settled_bit_by_bit(sent: Items, order: random.Random, cuts: list[int]) -> Agent:
    """Post every item twice, shuffled, in batches of any size, and process after some of them."""
    repeated = sent * 2
    order.shuffle(repeated)
    agent = in_a_project_of_its_own(LIMITS)
    for number, batch in enumerate(batches_of(repeated, cuts)):
        send(agent, batch)
        if number % 2:
            settle()
    settle()
    return agent


@pytest.mark.slow
@with_a_database(60)
@given(
    sent=st.lists(item, min_size=1, max_size=14, unique_by=identity),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 60)),
)
def test_any_order_batches_and_repeats_give_the_same_result_and_match_a_recount(
    db, sent, order, cuts
):
    with transaction.atomic():
        at_once = in_a_project_of_its_own(LIMITS)
        send(at_once, sent)
        settle()
        assert reported(settled_bit_by_bit(sent, order, cuts)) == reported(at_once)
        assert differences() == []
        transaction.set_rollback(True)


@pytest.mark.slow
@with_a_database(30)
@given(
    sent=st.lists(item, min_size=1, max_size=20),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 60)),
)
def test_contradictory_events_match_a_recount(db, sent, order, cuts):
    with transaction.atomic():
        settled_bit_by_bit(sent, order, cuts)
        assert differences() == []
        transaction.set_rollback(True)

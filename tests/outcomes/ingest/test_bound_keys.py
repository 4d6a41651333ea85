"""Keys bound to some agents can only report calls of these agents."""

import json

import pytest
from django.urls import reverse

from outcomes.models import Event
from tests import builders
from tests.builders import an_event, an_outcome
from tests.outcomes.posting import Agent, settle
from tests.recount import differences

OWN = an_event("call_denied", "c-1", agent_id="bot-b1", decision_source="yaml_precondition")
FORGED = an_outcome("c-1", agent_id="bot-a1", output={"status": 200}, tool_success=True)


@pytest.fixture
def bound(project):
    """Return an agent with a key bound to this glob."""

    def make(glob: str, header: str = "") -> Agent:
        text, _ = builders.a_key(project, "agent", agent=glob)
        named = {"X-Edictum-Agent-Id": header} if header else {}
        return Agent(builders.bearing(text, **named))

    return make


@pytest.fixture
def reader(project) -> Agent:
    return Agent(builders.bearing(builders.a_key(project, "read")[0]))


@pytest.fixture
def unbound(project) -> Agent:
    return Agent(builders.bearing(builders.a_key(project, "agent")[0]))


def seen(reader: Agent, call_id: str = "c-1"):
    """A call without its events, and which of the events were set apart."""
    call = reader.outcome(call_id)
    events = {each["agent_id"]: each["set_apart"] for each in call.pop("events")}
    return call | {"received_at": None}, events


@pytest.mark.parametrize("owner", ["bot-b*", ""])
def test_a_bound_key_does_not_change_a_call_of_another_agent(bound, unbound, reader, owner):
    victim = bound(owner) if owner else unbound
    victim.post_events(OWN)
    before, _ = seen(reader)
    assert bound("bot-a*").post(FORGED)["accepted"] == 1
    after, events = seen(reader)
    assert after == before
    assert (after["type"], after["conflict"]) == ("denied", False)
    assert events == {"bot-b1": False, "bot-a1": True}
    assert differences() == []


def test_a_call_reported_first_by_a_foreign_key_still_belongs_to_its_owner(bound, unbound, reader):
    unbound.post_events(OWN | {"call_id": "c-2"})
    bound("bot-a*").post(FORGED)
    assert seen(reader)[0]["agent_id"] == "bot-a1"
    unbound.post_events(OWN)
    call, events = seen(reader)
    assert (call["agent_id"], call["type"], call["conflict"]) == ("bot-b1", "denied", False)
    assert events == {"bot-b1": False, "bot-a1": True}
    assert differences() == []


def test_the_first_of_two_bound_keys_to_report_a_call_owns_it(bound, reader):
    own, foreign = bound("bot-b*"), bound("bot-a*")
    own.send("events", b'{"events": [%s]}' % json.dumps(OWN).encode())
    foreign.send("outcomes", b'{"outcomes": [%s]}' % json.dumps(FORGED).encode())
    settle()
    call, events = seen(reader)
    assert (call["agent_id"], call["type"]) == ("bot-b1", "denied")
    assert events == {"bot-b1": False, "bot-a1": True}
    assert differences() == []


def test_an_event_for_a_foreign_call_is_listed_as_rejected(project, bound, unbound, admin_client):
    unbound.post_events(OWN)
    bound("bot-a*").post(FORGED)
    page = admin_client.get(reverse("outcomes:rejected", args=[project.slug])).text
    assert "foreign_call" in page
    assert "bot-a1" in page


def test_a_copy_of_an_item_sent_beforehand_does_not_replace_it(bound, reader):
    item = an_outcome("c-1", output={"status": 500})
    bound("bot-a*", header="bot-a1").post(item)
    bound("bot-b*", header="bot-b1").post(item)
    assert Event.objects.count() == 2
    _, events = seen(reader)
    assert events == {"bot-a1": False, "bot-b1": True}


def test_a_bound_key_can_add_events_to_calls_of_its_agents(bound, reader):
    mine = bound("bot-a*")
    mine.post_events(an_event("call_allowed", "c-1", agent_id="bot-a1"))
    mine.post(FORGED)
    mine.post(FORGED)
    call, events = seen(reader)
    assert (call["type"], call["conflict"]) == ("execution_result", False)
    assert events == {"bot-a1": False}
    assert Event.objects.count() == 2
    assert differences() == []


@pytest.mark.parametrize("to", ["outcomes", "events"])
def test_a_bound_key_must_name_an_agent_for_each_item(bound, to):
    item = an_outcome("c-1") if to == "outcomes" else an_event(call_id="c-1", agent_id="")
    refused = bound("bot-a*").post(item, to=to)["rejected"]
    assert [each["code"] for each in refused] == ["agent_required"]
    assert "X-Edictum-Agent-Id" in refused[0]["detail"]
    assert bound("bot-a*", header="bot-a1").post(item, to=to)["accepted"] == 1

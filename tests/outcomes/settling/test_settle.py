"""Processing the inbox gives one outcome per call in any order, with any batches and repeats."""

import json

import pytest

from outcomes.models import Call, Event, Session
from outcomes.sessions.commands.readings import read_older
from outcomes.settling.claims import MOST_BYTES
from outcomes.settling.settle import settle_inbox
from tests import builders
from tests.builders import an_event, an_outcome
from tests.outcomes.posting import Agent, settle
from tests.recount import differences

ALLOWED = an_event("call_allowed", "c-1", timestamp="2026-11-18T06:00:00+00:00")
EXECUTED = an_event(
    "call_executed", "c-1", timestamp="2026-11-18T06:00:01+00:00", tool_success=True
)


@pytest.mark.parametrize("events", [(ALLOWED, EXECUTED), (EXECUTED, ALLOWED)])
@pytest.mark.parametrize("apart", [False, True])
def test_allowed_and_executed_events_make_one_executed_call(agent: Agent, events, apart):
    if apart:
        for event in events:
            agent.post_events(event)
    else:
        agent.post_events(*events)
    (call,) = agent.outcomes()
    assert (call["type"], call["verdict"]) == ("execution_result", "success")
    assert call["timestamp"] == "2026-11-18T06:00:00Z"
    assert agent.session("session-1")["counts"]["attempts"] == 1
    assert differences() == []


def test_a_repeated_post_changes_nothing(agent: Agent):
    items = [an_outcome("a", output={"x": 1, "y": [None]}, session_id="s"), an_outcome("b")]
    agent.post(*items)
    before = agent.outcomes(), agent.session("s")
    assert agent.post(*items)["accepted"] == 2
    assert (agent.outcomes(), agent.session("s")) == before
    assert Event.objects.count() == 2


def test_whitespace_key_order_and_neighbors_do_not_make_a_new_event(agent: Agent):
    item = an_outcome("a", output={"x": 1, "y": 2}, tool_args={"a": 1, "b": 2})
    backwards = dict(reversed(item.items())) | {"output": {"y": 2, "x": 1}}
    agent.post(item, an_outcome("b"))
    agent.door(json.dumps({"outcomes": [an_outcome("c"), backwards]}, indent=3).encode())
    settle()
    assert len(agent.outcome("a")["events"]) == 1


def test_a_repeat_without_a_timestamp_is_the_same_item(agent: Agent):
    agent.post(an_outcome("a"))
    first = agent.outcome("a")["timestamp"]
    agent.post(an_outcome("a"))
    assert agent.outcome("a")["timestamp"] == first
    assert len(agent.outcome("a")["events"]) == 1


def test_a_repeated_sdk_event_is_stored_once_whatever_its_other_fields(agent: Agent):
    agent.post_events(EXECUTED, EXECUTED | {"session_execution_count": 7})
    agent.post_events(EXECUTED | {"call_index": 3})
    assert len(agent.outcome("c-1")["events"]) == 1


def test_a_repeat_within_one_post_is_counted_once(agent: Agent):
    agent.post(*[an_outcome("a", session_id="s")] * 5)
    assert agent.session("s")["counts"]["executions"] == 1
    assert differences() == []


def test_a_posted_outcome_overrides_an_executed_event_and_adopts_missing_fields(agent: Agent):
    agent.post_events(EXECUTED | {"tool_success": False})
    agent.post(an_outcome("c-1", output={"rows": []}, timestamp="2026-11-18T05:59:00Z"))
    call = agent.outcome("c-1")
    assert call["output"] == {"rows": []}
    assert call["tool_args"] == {"url": "https://example.test"}
    assert (call["reported"], call["classified"]) == ("failure", "success")
    assert (call["verdict"], call["decided_by"]) == ("failure", "agent")
    assert call["timestamp"] == "2026-11-18T05:59:00Z"
    assert differences() == []


def test_a_later_execution_overrides_a_denial(agent: Agent):
    agent.post_events(an_event("call_approval_timeout", "c-1"))
    assert agent.outcome("c-1")["type"] == "denied"
    assert agent.session("session-1")["denials"] == {"approval": 1}
    agent.post_events(EXECUTED)
    assert agent.outcome("c-1")["type"] == "execution_result"
    assert agent.session("session-1")["denials"] == {}
    assert differences() == []


def test_the_later_of_two_equal_outcomes_wins_in_any_arrival_order(agent: Agent):
    early = an_outcome("a", output="early", timestamp="2026-11-18T06:00:00Z")
    late = an_outcome("a", output="late", timestamp="2026-11-18T06:00:01Z", turn_id="t")
    for number, items in enumerate([(early, late), (late, early)]):
        agent.post(*({**item, "call_id": f"a{number}"} for item in items))
        assert agent.outcome(f"a{number}")["output"] == "late"


def test_two_tool_names_for_one_call_are_a_conflict(agent: Agent):
    agent.post_events(EXECUTED, ALLOWED | {"tool_name": "other"})
    assert agent.outcome("c-1")["conflict"] is True


def test_a_late_event_moves_its_call_and_the_session_is_recounted(agent: Agent):
    agent.post(
        *(
            an_outcome(f"c-{n}", output=n, session_id="s", timestamp=f"2026-11-18T06:00:0{n}Z")
            for n in "123"
        )
    )
    agent.post(
        an_outcome(
            "first", type="failure", error="x", session_id="s", timestamp="2026-11-18T05:00:00Z"
        )
    )
    session = agent.session("s")
    assert session["first_at"] == "2026-11-18T05:00:00Z"
    assert session["counts"]["consecutive_failures"] == 0
    agent.post(
        an_outcome(
            "last", type="failure", error="x", session_id="s", timestamp="2026-11-18T07:00:00Z"
        )
    )
    assert agent.session("s")["counts"]["consecutive_failures"] == 1
    assert differences() == []


def test_a_call_without_a_session_id_is_in_no_session(agent: Agent):
    agent.post(an_outcome("alone", agent_id="billing-bot"))
    assert agent.outcome("alone")["session_id"] is None
    assert agent.get("agent-sessions")["sessions"] == []


def test_a_call_joins_a_session_reported_later(agent: Agent):
    agent.post(an_outcome("a", output=1))
    agent.post_events(an_event("call_allowed", "a", run_id="s", agent_id="unknown"))
    assert agent.session("s")["counts"]["executions"] == 1
    assert differences() == []


def test_the_same_id_in_two_environments_is_two_calls(project, agent: Agent):
    from_staging = Agent(keyed(project, "staging"))
    agent.post(an_outcome("a", output="production"))
    from_staging.post(an_outcome("a", output="staging"))
    assert Call.objects.count() == 2
    assert agent.outcome("a", env="production")["output"] == "production"
    assert agent.outcome("a")["output"] == "staging"


def test_projects_are_isolated(agent: Agent):
    other = Agent(keyed(builders.a_project(), "production"))
    agent.post(an_outcome("a", session_id="s"))
    assert other.outcomes() == []
    assert other.client.get("/v1/outcomes/a").status_code == 404
    assert other.client.get("/v1/agent-sessions/s").status_code == 404


def keyed(project, env):
    return builders.bearing(builders.a_key(project, "agent", "manage", env=env)[0])


@pytest.mark.slow
def test_thousands_of_items_match_a_recount(agent: Agent):
    items = [
        an_outcome(
            f"c-{n}", tool_name=f"t{n % 7}", session_id=f"s{n % 13}", output=[None, n][n % 2]
        )
        for n in range(3_000)
    ]
    agent.post(*items[:1_500])
    agent.post(*items)
    assert Call.objects.count() == 3_000
    assert differences() == []


def test_the_uncompressed_size_of_one_claim_is_bounded(agent: Agent):
    large = MOST_BYTES // 2 - 1_000
    for name in ("one", "two", "three"):
        item = an_outcome(name, output="x" * large)
        agent.door(json.dumps({"outcomes": [item]}).encode())
    assert settle_inbox() == 2
    assert settle_inbox() == 1
    assert settle_inbox() == 0


def test_a_session_whose_only_call_moved_to_another_counts_nothing(agent: Agent):
    agent.post_events(ALLOWED | {"run_id": "first"})
    agent.post_events(EXECUTED | {"run_id": "second"})
    assert agent.outcome("c-1")["conflict"] is True
    assert [each["session_id"] for each in agent.get("agent-sessions")["sessions"]] == ["second"]
    assert differences() == []


def test_a_session_keeps_its_agent_name_when_a_later_call_has_none(agent: Agent):
    def at(second):
        return {"session_id": "s", "timestamp": f"2026-11-18T06:00:0{second}Z"}

    agent.post(an_outcome(agent_id="billing-bot", **at(0)), an_outcome(**at(1)))
    assert agent.session("s")["agent_id"] == "billing-bot"
    agent.post(an_outcome(**at(2)))
    assert agent.session("s")["agent_id"] == "billing-bot"


def test_sessions_of_older_code_are_recounted_while_the_inbox_is_empty(agent: Agent):
    fields = {"session_id": "s", "tool_args": {"id": 1}, "turn_id": "t"}
    denied = {"type": "denied", "reason": "contract", **fields}
    agent.post(*(an_outcome(f"c-{number}", **denied) for number in range(3)))
    agent.post(an_outcome("other", session_id="other"))
    Session.objects.update(is_read=False, waste=0, has=0, loop=0, loop_call=None, tally="")
    assert read_older() == 2
    assert Session.objects.get(session_id="s").waste == 2
    assert differences() == []
    assert read_older() == 0

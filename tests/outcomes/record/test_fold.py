"""Folding events into a call: the strongest decides, and the others supply missing fields."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from governance.core.verdict import Verdict
from outcomes.record.event import (
    Allowed,
    ApprovalRejected,
    ApprovalRequested,
    ApprovalTimedOut,
    Blocked,
    Event,
    Executed,
    Failed,
    Granted,
    Note,
    Posted,
    Report,
    WouldBlock,
)
from outcomes.record.fold import fold
from outcomes.record.outcome import NOT_REPORTED
from tests.outcomes.record.values import (
    NOON,
    a_denial,
    a_failure,
    a_result,
    a_timeout,
    an_artifact,
    an_event,
    events,
    folded,
)


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (Posted(a_result({"rows": []})), a_result({"rows": []})),
        (Executed(), a_result(NOT_REPORTED)),
        (Executed(12.5), a_result(NOT_REPORTED, elapsed_ms=12.5)),
        (Failed(), a_failure(error="reported as failed")),
        (Failed("no such table", 3), a_failure(error="no such table", elapsed_ms=3)),
        (Blocked("limit", "50 calls"), a_denial("limit", details="50 calls")),
        (ApprovalRejected("not today"), a_denial("approval", details="not today")),
        (ApprovalTimedOut("nobody came"), a_denial("approval", details="nobody came")),
        (Allowed(), None),
        (ApprovalRequested(), None),
        (Granted(), None),
        (WouldBlock(), None),
    ],
    ids=lambda value: getattr(value, "kind", "open"),
)
def test_a_single_event_determines_the_outcome(report, outcome):
    assert folded(an_event(report)).outcome == outcome


def test_notes_without_other_events_make_no_call():
    assert fold([an_event(Note("workflow_completed"))]) is None
    assert fold([an_event(Note("workflow_completed"), at=at) for at in range(3)]) is None
    assert fold([]) is None


def test_a_note_does_not_change_its_call():
    executed = an_event(Executed(), at=5, order=5)
    note = an_event(Note("workflow_state_updated"), at=0, order=1, session_id="s-9", tool_args={})
    assert fold([note, executed]) == fold([executed])


FROM_STRONG_TO_WEAK: list[list[Report]] = [
    [Posted(a_denial("deadline"))],
    [Executed(), Failed("x")],
    [Blocked("contract"), ApprovalRejected(), ApprovalTimedOut()],
    [Granted(), ApprovalRequested(), Allowed()],
    [WouldBlock()],
]


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (strong, weak)
        for place, level in enumerate(FROM_STRONG_TO_WEAK)
        for strong in level
        for weaker in FROM_STRONG_TO_WEAK[place + 1 :]
        for weak in weaker
    ],
    ids=lambda report: report.kind,
)
def test_a_weaker_event_never_changes_the_outcome(strong, weak):
    both = folded(an_event(strong), an_event(weak, at=60, order=2))
    assert both.outcome == folded(an_event(strong)).outcome


def test_the_later_of_two_equally_strong_events_wins():
    call = folded(an_event(Failed("late"), at=2), an_event(Executed(), at=1))
    assert call.outcome == a_failure(error="late")
    assert call.at == an_event(Executed(), at=1).timestamp


def test_the_greater_hash_wins_among_equally_strong_events_of_the_same_time():
    failed, executed = an_event(Failed("x"), tie=b"\1"), an_event(Executed(), tie=b"\2")
    assert folded(failed, executed).outcome == a_result()
    assert folded(replace(failed, tie=b"\3"), executed).outcome == a_failure(error="x")


def test_an_execution_after_an_approval_timeout_is_not_a_denial():
    approval = [an_event(ApprovalRequested()), an_event(ApprovalTimedOut("nobody came"), at=60)]
    assert folded(*approval).outcome == a_denial("approval", details="nobody came")
    call = folded(*approval, an_event(Executed(), at=61))
    assert call.outcome == a_result()
    assert call.approval_requested


def test_a_weaker_event_supplies_missing_fields():
    posted = an_event(Posted(a_result([1])), at=9, session_id="s-1", from_sdk=False)
    events: dict[str, Any] = {
        "turn_id": "t-1",
        "tool_args": {"id": 1},
        "principal": {"role": "analyst"},
        "rule": "ask-first",
        "call_index": 4,
        "parent_call_id": "c-0",
        "parent_session_id": "s-0",
        "policy_version": "abc",
        "bundle_name": "base",
        "reported_environment": "laptop",
        "metadata": {"k": 1},
    }
    allowed = an_event(Allowed(), side_effect="read", reported=Verdict.FAILURE, **events)
    call = folded(posted, allowed)
    assert {name: getattr(call, name) for name in events} == events
    assert call.session_id == "s-1"
    assert call.idempotent
    assert call.reported is Verdict.FAILURE
    assert call.from_sdk
    assert call.at == NOON


def test_fields_of_the_winning_event_are_preserved():
    call = folded(
        an_event(Executed(), rule="winner", tool_args={}, idempotent=False),
        an_event(Allowed(), rule="loser", tool_args={"id": 1}, idempotent=True),
    )
    assert (call.rule, call.tool_args, call.idempotent) == ("winner", {}, False)


def test_missing_fields_are_filled_from_the_strongest_other_event():
    call = folded(
        an_event(Executed()),
        an_event(Allowed(), at=50, rule="weak"),
        an_event(Blocked("contract"), rule="strong"),
    )
    assert call.rule == "strong"


@pytest.mark.parametrize(
    ("winner", "loser", "outcome"),
    [
        (a_result(elapsed_ms=3), a_result([1], elapsed_ms=9), a_result([1], elapsed_ms=3)),
        (a_result(None), a_result([1]), a_result(None)),
        (a_result(), a_timeout(elapsed_ms=30), a_result(elapsed_ms=30)),
        (a_timeout(), a_timeout(deadline_s=5), a_timeout(deadline_s=5)),
        (a_failure(retryable=False), a_failure(error="x"), a_failure(error="x", retryable=False)),
        (a_denial("limit"), a_denial("limit", details="50"), a_denial("limit", details="50")),
        (a_denial("limit"), a_denial("contract", details="no"), a_denial("limit")),
        (an_artifact("a-1"), an_artifact("a-1", summary="s"), an_artifact("a-1", summary="s")),
        (an_artifact("a-1"), an_artifact("a-2", summary="s"), an_artifact("a-1")),
    ],
    ids=[
        "output",
        "null lacks nothing",
        "time of another type",
        "deadline",
        "error",
        "details",
        "details of another reason",
        "summary",
        "summary of another artifact",
    ],
)
def test_the_losing_outcome_supplies_fields_the_winner_lacks(winner, loser, outcome):
    call = folded(an_event(Posted(loser)), an_event(Posted(winner), at=1))
    assert call.outcome == outcome


def test_the_duration_comes_from_the_event_that_measured_it():
    assert folded(an_event(Executed())).elapsed_ms is None
    assert folded(an_event(Posted(a_result(elapsed_ms=0)))).elapsed_ms == 0
    assert folded(an_event(Posted(an_artifact(), elapsed_ms=8))).elapsed_ms == 8
    call = folded(an_event(Posted(a_result([1]))), an_event(Executed(21)))
    assert call.elapsed_ms == 21
    assert call.outcome == a_result([1], elapsed_ms=21)


def test_a_call_that_never_ran_has_no_duration():
    call = folded(an_event(Posted(a_denial("deadline"), elapsed_ms=4)), an_event(Executed(21)))
    assert call.elapsed_ms is None


@pytest.mark.parametrize(
    ("events", "reported"),
    [
        ([an_event(Executed())], Verdict.SUCCESS),
        ([an_event(Failed())], Verdict.FAILURE),
        ([an_event(Failed(), reported=Verdict.SUCCESS)], Verdict.SUCCESS),
        ([an_event(Posted(a_result([1])))], None),
        ([an_event(Posted(a_failure()))], None),
        ([an_event(Posted(a_result())), an_event(Failed())], Verdict.FAILURE),
        ([an_event(Failed(), at=2), an_event(Executed(), at=1)], Verdict.FAILURE),
        (
            [
                an_event(Posted(a_result()), at=1, reported=Verdict.SUCCESS),
                an_event(Executed(), at=2, reported=Verdict.FAILURE),
            ],
            Verdict.FAILURE,
        ),
        (
            [
                an_event(Posted(a_result()), at=1, reported=Verdict.SUCCESS),
                an_event(Executed(), at=2),
            ],
            Verdict.SUCCESS,
        ),
        ([an_event(Blocked("contract"))], None),
        ([an_event(Allowed())], None),
    ],
    ids=[
        "executed",
        "failed",
        "a flag counts more than the action",
        "posted without a flag",
        "a posted failure without a flag",
        "the action beside a post",
        "the newest action",
        "the newest flag, not the strongest",
        "a flag counts more than a newer action",
        "denied",
        "open",
    ],
)
def test_the_newest_reported_verdict_wins(events, reported):
    assert folded(*events).reported is reported


def test_an_observe_mode_denial_only_sets_would_block():
    executed = an_event(Executed(), at=1)
    would = an_event(WouldBlock(), order=2, rule="no-drop", mode="observe", tool_args={"id": 1})
    call = folded(executed, would)
    assert call.would_block
    assert call.outcome == a_result()
    assert (call.rule, call.tool_args) == (None, None)
    assert not folded(executed).would_block


def test_a_call_with_only_observe_mode_denials_is_open():
    would = an_event(WouldBlock(), rule="no-drop", mode="observe")
    again = an_event(WouldBlock(), rule="no-write", mode="observe", session_id="s-1")
    call = folded(would, again)
    assert call.outcome is None
    assert not call.ran
    assert call.would_block
    assert call.session_id == "s-1"


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ({"tool_name": "query"}, {"tool_name": "search"}, True),
        ({"agent_id": "bot"}, {"agent_id": "another"}, True),
        ({"session_id": "s-1"}, {"session_id": "s-2"}, True),
        ({"session_id": "s-1"}, {"session_id": None}, False),
        ({"agent_id": "bot"}, {"agent_id": "unknown"}, False),
        ({"turn_id": "t-1"}, {"turn_id": "t-2"}, False),
        ({}, {}, False),
    ],
    ids=["tools", "agents", "sessions", "no session", "no agent", "turns", "agreement"],
)
def test_two_tools_agents_or_sessions_are_a_conflict(one, other, conflict):
    assert folded(an_event(Executed(), **one), an_event(Allowed(), **other)).conflict is conflict


def test_in_a_conflict_the_winning_event_supplies_tool_and_session():
    call = folded(
        an_event(Executed(), tool_name="query", session_id="s-1"),
        an_event(Blocked("contract"), at=9, tool_name="search", session_id="s-2"),
    )
    assert (call.tool_name, call.session_id) == ("query", "s-1")


def test_an_unknown_agent_is_named_by_another_event():
    call = folded(an_event(Executed(), agent_id="unknown"), an_event(Allowed(), agent_id="bot"))
    assert call.agent_id == "bot"


@pytest.mark.parametrize(
    ("flag", "side_effect", "idempotent"),
    [
        (True, "write", True),
        (False, "read", False),
        (None, "pure", True),
        (None, "read", True),
        (None, "write", False),
        (None, "irreversible", False),
        (None, None, False),
    ],
)
def test_idempotence_is_as_reported_or_else_follows_from_the_side_effect(
    flag, side_effect, idempotent
):
    call = folded(an_event(Executed(), idempotent=flag, side_effect=side_effect))
    assert call.idempotent is idempotent


def test_a_repeat_is_treated_as_the_event_accepted_first():
    first = an_event(Posted(a_result([1])), at=1, order=1, from_sdk=False, digest=b"same")
    repeat = replace(first, timestamp=an_event(Allowed(), at=99).timestamp, order=9)
    newer = an_event(Posted(a_result([2])), at=5, order=5, from_sdk=False)
    assert folded(first, repeat) == folded(first)
    assert folded(repeat, newer, first).outcome == a_result([2])


def from_bound_key(event: Event) -> Event:
    """The event as sent with a key bound to its agent."""
    return replace(event, bound_to=event.agent_id, digest=event.digest + event.agent_id.encode())


from_all_keys = st.one_of(events, events.map(from_bound_key))


@given(st.lists(from_all_keys, min_size=1, max_size=6), st.data())
@settings(max_examples=150)
def test_the_result_does_not_depend_on_order_or_repeats(events, data):
    assert fold(data.draw(st.permutations(events * 2))) == fold(events)


@given(st.lists(from_all_keys, min_size=1, max_size=6), st.data())
@settings(max_examples=150)
def test_the_result_does_not_depend_on_batch_boundaries(events, data):
    """A store keeps each event once, as it arrived, and folds again after every batch."""
    arriving = data.draw(st.permutations(events + events[:2]))
    at_once = fold([replace(event, order=order) for order, event in enumerate(arriving)])

    stored: dict[bytes, Event] = {}
    call, order = None, 0
    while arriving:
        size = data.draw(st.integers(1, len(arriving)))
        batch, arriving = arriving[:size], arriving[size:]
        for event in batch:
            stored.setdefault(event.digest, replace(event, order=order))
            order += 1
        call = fold(list(stored.values()))
    assert call == at_once


@given(st.lists(events, min_size=1, max_size=6))
@settings(max_examples=150)
def test_only_the_strongest_events_determine_the_outcome_type(events):
    call = fold(events)
    saying = [event for event in events if not isinstance(event.report, Note)]
    if call is None:
        assert saying == []
        return
    strongest = max(event.report.strength for event in saying)
    kinds = {
        getattr(folded(event).outcome, "kind", None)
        for event in saying
        if event.report.strength == strongest
    }
    assert getattr(call.outcome, "kind", None) in kinds
    assert call.at == min(event.timestamp for event in saying)


@given(st.lists(events, max_size=4), st.lists(events.map(from_bound_key), max_size=4), st.data())
@settings(max_examples=100)
def test_events_from_keys_bound_to_other_agents_change_nothing(events, bound, data):
    """They may arrive first, last or in between, if other keys name the agent of the call."""
    from_bot = [replace(event, agent_id="bot", bound_to="") for event in events]
    foreign = [event for event in bound if event.agent_id == "other"]
    reported = [event for event in from_bot if not isinstance(event.report, Note)]
    assume(reported)
    assert fold(data.draw(st.permutations(from_bot + foreign))) == fold(from_bot)

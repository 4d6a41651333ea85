"""A retention run removes only what is due; rollups, verdicts and held sessions remain."""

import pytest
from django.utils import timezone

from governance.audit_log import record, verify
from governance.core.actor import CONSOLE
from governance.models import AuditEntry
from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts
from outcomes.core import artifact_store
from outcomes.core.clock import database_time
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.figures.queries.stats import figures
from outcomes.holds.commands import hold_query, hold_session, lift_hold
from outcomes.jobs import commands as jobs
from outcomes.models import (
    AgentSeen,
    Artifact,
    Call,
    CallGroup,
    Event,
    GroupRollup,
    IndexedCall,
    Posting,
    RejectedItem,
    RetentionMark,
    Rollup,
    RollupMinute,
    Session,
)
from outcomes.record import codec
from outcomes.retention.commands import calls, runs
from outcomes.retention.commands.rules import set_rule
from outcomes.retention.domain import Kind
from outcomes.stored.queries import CallFilter
from tests import builders
from tests.audit_triggers import dropped_triggers
from tests.items import an_event
from tests.outcomes import pages as moments
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.posting import Agent
from tests.outcomes.retention.later import carried_out, days_later
from tests.outcomes.waiting_jobs import run_waiting_indexes
from tests.recount import differences


@pytest.fixture
def recorded(agent):
    agent.post(
        an_item("s-1", call_id="good", tool_args={"to": "jane"}, output={"text": "letter"}),
        an_item("s-1", call_id="bad", output="Error: no"),
        a_denied_item("s-2", call_id="no", tool_args={"path": "/etc"}),
        an_item("s-3", call_id="large", output="word " * 4_000),
        an_item(None, call_id="alone", output={"text": "postcard"}),
    )
    run_waiting_indexes()


def counted(project):
    sums = figures(project.pk, CallFilter())
    return sums.calls, sums.counts


def verdicts():
    return dict(Call.objects.values_list("call_id", "verdict"))


def test_payloads_are_removed_and_verdicts_remain(project, agent, recorded, monkeypatch):
    before, sums = verdicts(), counted(project)
    days_later(monkeypatch, 91)
    run = carried_out(project)
    assert run.result["removed"]["payloads"][0] == 4
    good = agent.outcome("good")
    assert good["tool_args"] is None
    assert "output" not in good
    assert good["removed"] == ["tool_args", "output"]
    assert agent.outcome("no")["removed"] == ["tool_args"]
    assert verdicts() == before
    assert counted(project) == sums
    items = Event.objects.values_list("item", flat=True)
    assert not any(b"letter" in codec.text_of(bytes(item)) for item in items)


def test_the_call_page_states_that_the_payload_was_removed(
    project, agent, recorded, pages, monkeypatch
):
    days_later(monkeypatch, 91)
    carried_out(project)
    monkeypatch.undo()  # browser sessions expire earlier
    text = pages.call("good")
    assert "Retention removed the arguments." in text
    assert "Retention removed the output. The verdict stays as it was." in text
    assert "not reported" not in text
    assert "Retention removed the file" in pages.call("large")


def test_a_search_does_not_match_removed_content(agent, project, recorded, monkeypatch):
    assert [each["call_id"] for each in agent.outcomes(q="letter")] == ["good"]
    days_later(monkeypatch, 91)
    carried_out(project)
    assert agent.outcomes(q="letter") == []
    assert {each["call_id"] for each in agent.outcomes(q="tool:query")} == set(verdicts())


def test_a_repeat_of_an_event_without_its_payload_is_still_deduplicated(
    project, agent, monkeypatch
):
    items = [an_item(call_id="c", tool_args={"a": 1}), an_event(call_id="e")]
    agent.post(items[0])
    agent.post_events(items[1])
    days_later(monkeypatch, 91)
    carried_out(project)
    rows = Event.objects.count()
    agent.post(items[0])
    agent.post_events(items[1])
    assert Event.objects.count() == rows == 2
    assert counted(project)[0] == 2


def test_a_late_event_does_not_change_the_verdict_of_a_call_without_its_payload(
    project, agent, monkeypatch
):
    agent.post(an_item("s-1", call_id="c", tool_args={"a": 1}, output="Error: no"))
    equal = Call.objects.get().arguments
    days_later(monkeypatch, 91)
    carried_out(project)
    late = an_event("call_allowed", "c", agent_id="bot", tool_name="query", run_id="s-1")
    agent.post_events(late | {"tool_args": None})
    row = Call.objects.get()
    assert (row.verdict, row.classified) == ("failure", "failure")
    assert row.arguments == equal
    assert agent.outcome("c")["removed"] == ["tool_args", "output"]


def test_artifact_content_is_removed_and_its_row_remains(project, agent, recorded, monkeypatch):
    sha256 = Artifact.objects.get().sha256
    days_later(monkeypatch, 91)
    carried_out(project)
    assert Artifact.objects.get().removed_at is not None
    assert artifact_store.stored_bytes(project.pk, sha256) is None
    assert agent.client.get(f"/v1/artifacts/{sha256}").status_code == 404
    assert agent.outcome("large")["removed"] == ["artifact"]
    agent.post(an_item("s-4", call_id="again", output="word " * 4_000))
    assert Artifact.objects.get().removed_at is None
    again = agent.client.get(f"/v1/artifacts/{sha256}")
    assert b"".join(again.streaming_content).startswith(b"word word")
    again.close()


def test_calls_are_removed_with_their_dependent_rows_and_rollups_remain(
    project, agent, recorded, monkeypatch
):
    roll_up()
    sums = counted(project)
    groups = set(GroupRollup.objects.values_list("group", flat=True))
    days_later(monkeypatch, 401)
    run = carried_out(project)
    assert run.result["removed"]["calls"][0] == 5
    for model in (Call, Event, Session, IndexedCall, Posting):
        assert not model.objects.exists(), model
    remove_unreferenced_artifacts()
    assert not Artifact.objects.exists()
    assert AgentSeen.objects.get().call_id is None
    assert AgentSeen.objects.get().at is not None
    assert counted(project) == sums
    assert set(CallGroup.objects.values_list("pk", flat=True)) >= groups
    assert RetentionMark.objects.get().calls_before is not None


def test_nothing_is_removed_before_it_is_due(project, agent, recorded, monkeypatch):
    days_later(monkeypatch, 29)
    assert carried_out(project).result["removed"] == {}
    assert differences() == []


def test_a_session_is_removed_only_when_its_last_call_is_due(project, agent, monkeypatch):
    agent.post(an_item("s-1", call_id="old"), an_item("s-2", call_id="gone"))
    days_later(monkeypatch, 10)
    # So that new items have current timestamps.
    monkeypatch.setattr(moments, "_latest", timezone.now())
    agent.post(an_item("s-1", call_id="new"))
    set_rule(project, kind=Kind.PAYLOADS, days=7, env="", by=CONSOLE)
    set_rule(project, kind=Kind.CALLS, days=8, env="", by=CONSOLE)
    carried_out(project)
    assert set(verdicts()) == {"old", "new"}


def test_a_held_session_keeps_its_payloads(project, agent, recorded, monkeypatch):
    session = Session.objects.get(session_id="s-1")
    hold = hold_session(session, reason="Case 12", by=CONSOLE)
    days_later(monkeypatch, 401)
    carried_out(project)
    assert set(verdicts()) == {"good", "bad"}
    assert agent.outcome("good")["output"] == {"text": "letter"}
    lift_hold(project, hold.pk, by=CONSOLE)
    carried_out(project)
    assert verdicts() == {}


def test_a_hold_by_query_keeps_matching_calls_and_their_sessions(project, recorded, monkeypatch):
    hold_query(project, query="letter", reason="", by=CONSOLE)
    hold_query(project, query="output.text:postcard", reason="", by=CONSOLE)
    days_later(monkeypatch, 401)
    carried_out(project)
    assert set(verdicts()) == {"good", "bad", "alone"}


def test_environments_can_have_different_rules(project, agent, monkeypatch):
    staging = builders.bearing(builders.a_key(project, "ingest", env="staging")[0])
    agent.post(an_item("s-1", call_id="kept"))
    Agent(staging).post(an_item("s-1", call_id="gone"))
    set_rule(project, kind=Kind.PAYLOADS, days=7, env="staging", by=CONSOLE)
    set_rule(project, kind=Kind.CALLS, days=7, env="staging", by=CONSOLE)
    days_later(monkeypatch, 8)
    carried_out(project)
    assert set(verdicts()) == {"kept"}


def test_a_session_too_long_for_one_step_is_removed_in_several(project, agent, monkeypatch):
    agent.post(*(an_item("long") for _ in range(7)), an_item("short"))
    sums = counted(project)
    monkeypatch.setattr(calls, "CALLS", 3)
    days_later(monkeypatch, 401)
    assert carried_out(project).result["removed"]["calls"][0] == 8
    assert not Call.objects.exists()
    assert not Session.objects.exists()
    assert counted(project) == sums


def test_events_without_a_call_are_removed_with_the_calls(project, agent, monkeypatch):
    agent.post_events(an_event("workflow_completed", "w"))
    days_later(monkeypatch, 401)
    carried_out(project)
    assert not Event.objects.exists()


def test_rollups_are_removed_only_by_their_own_rule(project, agent, recorded, monkeypatch):
    roll_up()
    days_later(monkeypatch, 500)
    carried_out(project)
    assert Rollup.objects.exists()
    set_rule(project, kind=Kind.ROLLUPS, days=400, env="", by=CONSOLE)
    carried_out(project)
    for model in (Rollup, RollupMinute, GroupRollup, CallGroup):
        assert not model.objects.exists(), model


def test_invalid_events_are_removed(project, agent, monkeypatch):
    agent.door(b'{"outcomes": [{"type": "no such"}]}')
    days_later(monkeypatch, 31)
    assert carried_out(project).result["removed"]["rejected"][0] == 1
    assert not RejectedItem.objects.exists()


def test_the_audit_log_can_be_verified_after_its_oldest_entries_are_removed(project, monkeypatch):
    for number in range(3):
        record(CONSOLE, "note", str(number), project=project)
    set_rule(project, kind=Kind.AUDIT, days=30, env="", by=CONSOLE)
    days_later(monkeypatch, 31)
    record(CONSOLE, "note", "new", project=project)
    carried_out(project)
    first = AuditEntry.objects.filter(project=project).order_by("number")[0]
    assert (first.number, first.subject) == (5, "new")
    assert verify(project) is None
    with dropped_triggers():
        first.delete()
    assert verify(project) is not None


def test_a_killed_run_resumes_after_its_last_step(project, agent, monkeypatch):
    agent.post(*(an_item(f"s-{number}") for number in range(6)))
    sums = counted(project)
    monkeypatch.setattr(calls, "CALLS", 2)
    days_later(monkeypatch, 401)
    run = runs.start_run(project, by=CONSOLE)
    steps = iter(range(2))

    def killed(*_):
        if next(steps, None) is None:
            raise SystemExit

    monkeypatch.setattr(runs._Run, "_pause", killed)
    with pytest.raises(SystemExit):
        runs.run_retention(run.pk)
    monkeypatch.undo()
    left = Call.objects.count()
    assert 0 < left < 6
    assert runs.waiting_runs() == [run.pk]
    while not runs.run_retention(run.pk):
        pass
    run.refresh_from_db()
    assert run.result["removed"]["calls"][0] == 6
    assert not Call.objects.exists()
    assert counted(project) == sums


def test_a_cancelled_run_stops_after_the_current_step(project, agent, monkeypatch):
    agent.post(*(an_item(f"s-{number}") for number in range(4)))
    monkeypatch.setattr(calls, "CALLS", 2)
    days_later(monkeypatch, 401)
    run = runs.start_run(project, by=CONSOLE)
    cancel = lambda *_: runs.cancel_run(project, run.pk, by=CONSOLE)  # noqa: E731
    monkeypatch.setattr(runs._Run, "_pause", cancel)
    assert runs.run_retention(run.pk)
    run.refresh_from_db()
    assert run.status == run.Status.CANCELLED
    assert Call.objects.count() == 4


def test_a_run_is_started_once_a_day(project, monkeypatch):
    assert len(runs.start_due_runs()) == 1
    assert runs.start_due_runs() == []
    for number in runs.waiting_runs():
        runs.run_retention(number)
    assert runs.start_due_runs() == []
    days_later(monkeypatch, 1.1)
    assert len(runs.start_due_runs()) == 1


class Killed(BaseException):
    """Simulates the end of a process without any cleanup."""


def test_a_run_whose_process_died_during_a_step_resumes_after_its_lease_expires(
    project, agent, monkeypatch
):
    agent.post(*(an_item(f"s-{number}") for number in range(6)))
    sums = counted(project)
    monkeypatch.setattr(calls, "CALLS", 2)
    days_later(monkeypatch, 401)
    run = runs.start_run(project, by=CONSOLE)
    note, removals = runs._Run._note_step, iter(range(2))

    def dying(self, stage, step):
        if stage.kind is Kind.CALLS and step.removed.rows and next(removals, None) is None:
            raise Killed  # after the rows were deleted, before the commit
        return note(self, stage, step)

    monkeypatch.setattr(runs._Run, "_note_step", dying)
    with pytest.raises(Killed):
        runs.run_retention(run.pk)
    monkeypatch.setattr(runs._Run, "_note_step", note)
    assert Call.objects.count() == 2
    assert runs.waiting_runs() == []  # its lease has not expired
    later = database_time() + jobs.LOST_AFTER * 2
    monkeypatch.setattr(jobs, "database_time", lambda: later)
    assert runs.waiting_runs() == [run.pk]
    while not runs.run_retention(run.pk):
        pass
    run.refresh_from_db()
    assert run.result["removed"]["calls"][0] == 6
    assert not Call.objects.exists()
    assert not Session.objects.exists()
    assert counted(project) == sums

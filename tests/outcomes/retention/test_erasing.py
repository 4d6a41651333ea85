"""Erasing an agent or a principal removes everything about it and leaves exact counts."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.core.errors import Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import AuditEntry
from governance.people.auth.access import access_of_member
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.figures.queries.stats import figures, figures_by
from outcomes.holds.commands import hold_session
from outcomes.jobs import commands as jobs
from outcomes.models import (
    Agent,
    Artifact,
    Call,
    Erasure,
    Event,
    GroupRollup,
    Principal,
    RejectedItem,
    Rollup,
    Session,
)
from outcomes.retention.commands import erasing
from outcomes.retention.commands.erasing import run_erasure, start_erasure, waiting_erasures
from outcomes.stored.queries import CallFilter
from tests import builders
from tests.items import an_event
from tests.outcomes.pages import Pages, a_denied_item, an_item
from tests.outcomes.retention.later import carried_out, days_later
from tests.outcomes.waiting_jobs import run_waiting_indexes, run_waiting_removals
from tests.recount import differences


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch):
    monkeypatch.setattr(erasing, "SETTLES_AFTER", timedelta(0))


@pytest.fixture
def recorded(agent):
    """Two agents and two principals, with separate sessions and a shared one."""
    jane, ben = {"user_id": "jane"}, {"user_id": "ben"}
    agent.post(
        an_item("own", agent_id="mail", principal=jane, output="word " * 4_000),
        an_item("own", agent_id="mail", principal=jane, output="Error: no", tool_success=False),
        an_item("shared", agent_id="mail", principal=ben),
        an_item("shared", agent_id="bot", principal=ben, elapsed_ms=12),
        a_denied_item("shared", agent_id="mail", principal=jane),
        an_item("other", agent_id="bot", principal=ben),
        an_item(None, agent_id="mail", principal=jane),
    )
    agent.post_events(an_event("workflow_completed", "w", agent_id="mail"))
    agent.door(b'{"outcomes": [{"agent_id": "mail", "type": "no such"}]}')
    run_waiting_indexes()


def erased(project, about, name):
    erasure = start_erasure(project, about=about, name=name, typed=name, by=CONSOLE)
    while waiting_erasures():
        run_erasure(erasure.pk)
    run_waiting_removals()
    run_waiting_indexes()
    erasure.refresh_from_db()
    return erasure


def test_an_agent_is_erased_and_counts_remain_exact(project, agent, recorded):
    erasure = erased(project, "agent", "mail")
    assert (erasure.status, erasure.error, erasure.name) == ("done", "", "")
    assert erasure.result["erased"]["calls"] == 5
    assert set(Call.objects.values_list("agent__name", flat=True)) == {"bot"}
    assert Event.objects.count() == 2
    assert set(Session.objects.values_list("session_id", flat=True)) == {"shared", "other"}
    assert [each.name for each in Agent.objects.all()] == ["bot"]
    assert not Artifact.objects.exists()
    assert not RejectedItem.objects.exists()
    assert differences() == []
    roll_up()
    assert differences() == []


def test_a_principal_is_erased_completely(project, agent, recorded):
    roll_up()
    erasure = erased(project, "principal", "jane")
    assert erasure.status == "done"
    assert erasure.result["erased"]["calls"] == 4
    assert Call.objects.count() == 3
    assert [each.name for each in Principal.objects.all()] == ["ben"]
    assert differences() == []


def test_rollups_of_calls_already_removed_by_retention_are_corrected(
    project, agent, recorded, monkeypatch
):
    roll_up()
    days_later(monkeypatch, 401)
    carried_out(project)
    monkeypatch.undo()
    monkeypatch.setattr(erasing, "SETTLES_AFTER", timedelta(0))
    number = Agent.objects.get(name="mail").pk
    assert figures_by(project.pk, "agent", CallFilter())["mail"].calls == 5
    assert erased(project, "agent", "mail").status == "done"
    left = figures_by(project.pk, "agent", CallFilter(), durations=True)
    assert {name: each.calls for name, each in left.items() if each.calls} == {"bot": 2}
    assert sum(left["bot"].durations.values()) == 1
    tools = figures_by(project.pk, "tool", CallFilter())
    assert sum(each.calls for each in tools.values()) == 2
    assert not Rollup.objects.filter(agent=number).exists()
    assert not any(GroupRollup.objects.values_list("calls", flat=True))


def test_calls_reported_after_the_erasure_started_are_not_erased(project, agent, recorded):
    erasure = start_erasure(project, about="agent", name="mail", typed="mail", by=CONSOLE)
    agent.post(an_item("new", agent_id="mail", call_id="new"))
    while waiting_erasures():
        run_erasure(erasure.pk)
    run_waiting_removals()
    assert set(Agent.objects.values_list("name", flat=True)) == {"bot", "mail"}
    assert Call.objects.get(agent__name="mail").call_id == "new"
    assert differences() == []


def test_rows_written_under_the_erased_name_during_the_erasure_are_removed(
    project, agent, recorded
):
    erasure = start_erasure(project, about="agent", name="mail", typed="mail", by=CONSOLE)
    while erasure.result["stage"] == 0:
        erasing._one_step(jobs.claimed(Erasure.objects.all(), erasure.pk) or erasure)
        erasure.refresh_from_db()
    jobs.put_back(erasure)
    late = Call.objects.filter(agent__name="bot")[0]
    Call.objects.filter(pk=late.pk).update(agent=erasure.result["row"])
    while waiting_erasures():
        run_erasure(erasure.pk)
    assert not Call.objects.filter(pk=late.pk).exists()


def test_calls_on_legal_hold_are_not_erased_and_are_reported(project, agent, recorded):
    hold_session(Session.objects.get(session_id="own"), reason="", by=CONSOLE)
    erasure = erased(project, "agent", "mail")
    assert erasure.status == "failed"
    assert "are on legal hold and stay" in erasure.error
    assert set(Call.objects.values_list("session__session_id", flat=True)) == {
        "own", "shared", "other",
    }  # fmt: skip


def test_a_killed_erasure_resumes_where_it_stopped(project, agent, recorded, monkeypatch):
    from outcomes.retention.commands import erased_calls  # noqa: PLC0415

    monkeypatch.setattr(erased_calls, "CALLS", 1)
    erasure = start_erasure(project, about="agent", name="mail", typed="mail", by=CONSOLE)
    steps, step = iter(range(2)), erasing._step

    def killed(job):
        if next(steps, None) is None:
            raise SystemExit
        return step(job)

    monkeypatch.setattr(erasing, "_step", killed)
    with pytest.raises(SystemExit):
        run_erasure(erasure.pk)
    assert Call.objects.filter(agent=erasure.result["row"]).count() == 3
    assert figures(project.pk, CallFilter()).calls == Call.objects.count() == 5
    monkeypatch.setattr(erasing, "_step", step)
    while waiting_erasures():
        run_erasure(erasure.pk)
    run_waiting_removals()
    assert differences() == []
    assert set(Call.objects.values_list("agent__name", flat=True)) == {"bot"}


def test_the_audit_log_does_not_name_the_erased_principal(project, agent, recorded):
    erased(project, "principal", "jane")
    entries = AuditEntry.objects.filter(action__startswith="erasure ")
    assert [entry.action for entry in entries.order_by("number")] == [
        "erasure started",
        "erasure ended",
    ]
    assert not any("jane" in f"{entry.subject} {entry.details}" for entry in entries)
    assert verify(project) is None


def test_only_an_admin_who_types_the_name_can_erase(project, agent, recorded):
    editor = access_of_member(builders.a_member(project, Role.EDITOR)).actor
    with pytest.raises(Forbidden):
        start_erasure(project, about="agent", name="mail", typed="mail", by=editor)
    with pytest.raises(InvalidInput):
        start_erasure(project, about="agent", name="mail", typed="mai", by=CONSOLE)
    with pytest.raises(NotFound):
        start_erasure(project, about="agent", name="nobody", typed="nobody", by=CONSOLE)
    admin = Pages(builders.signed_in(builders.a_member(project, Role.ADMIN).user), project.slug)
    address = f"{admin.base}/settings/retention/erase/"
    given = {"about": "agent", "name": "mail", "typed": "bot"}
    assert admin.client.post(address, given).status_code == 422
    assert admin.client.post(address, given | {"typed": "mail"}).status_code == 302
    assert "agent mail" in admin.text("settings/retention/")


def test_the_erase_command_removes_an_agent(project, agent, recorded, capsys):
    call_command("erase", project.slug, agent="mail", yes=True)
    assert "5 calls" in capsys.readouterr().out
    assert set(Call.objects.values_list("agent__name", flat=True)) == {"bot"}

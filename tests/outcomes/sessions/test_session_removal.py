"""Deleting a session removes all of its data and nothing else, and leaves exact counts."""

import json
from urllib.parse import urlencode

import pytest

from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.core.errors import Forbidden, InvalidInput
from governance.core.roles import Role
from governance.models import AuditEntry
from governance.people.auth.access import access_of_member
from outcomes.figures.queries.stats import figures
from outcomes.models import (
    AgentSeen,
    Artifact,
    Call,
    ChildSession,
    Event,
    RejectedItem,
    Session,
    SessionNote,
    SessionRemoval,
    StoredValue,
)
from outcomes.sessions.commands.notes import write_note
from outcomes.sessions.commands.removal import remove_session, remove_some
from outcomes.stored.queries import CallFilter
from tests import builders
from tests.outcomes.pages import Pages, a_denied_item, an_item
from tests.outcomes.session_store.test_session_store import Store
from tests.outcomes.waiting_jobs import run_waiting_removals
from tests.recount import differences

SECRET = "jane@example.test"


@pytest.fixture
def held(project, agent):
    """A session with data of every kind, next to another one that shares what can be shared."""
    shared, own = "shared " * 3_000, "own " * 4_000
    agent.post(
        an_item(SECRET, output=shared, turn_id="t-1"),
        an_item(SECRET, output=own),
        an_item(SECRET, output="Error: no", agent_id="only-here"),
        a_denied_item(SECRET),
        an_item("s-2", output=shared, parent_session_id=SECRET),
    )
    agent.door(json.dumps({"outcomes": [{"session_id": SECRET, "type": "no such"}]}).encode())
    agent.door(json.dumps({"outcomes": [{"session_id": "s-2", "type": "no such"}]}).encode())
    store = Store(builders.a_key(project)[0])
    store.increment(f"s:{SECRET}:attempts", 4)
    store.increment("s:s-2:attempts", 1)
    session = Session.objects.get(session_id=SECRET)
    write_note(session, "Asked about it.", by=CONSOLE)
    return session


def test_deleting_a_session_removes_everything_that_belongs_only_to_it(project, agent, held):
    remove_session(held, typed=SECRET, by=CONSOLE)
    assert agent.client.get(f"/v1/agent-sessions/{SECRET}").status_code == 404
    assert run_waiting_removals() == 1
    assert differences() == []
    assert list(Call.objects.values_list("session__session_id", flat=True)) == ["s-2"]
    assert Event.objects.count() == 1
    assert Artifact.objects.count() == 1
    assert [value.key for value in StoredValue.objects.all()] == ["s:s-2:attempts"]
    assert SECRET.encode() not in bytes(RejectedItem.objects.get().excerpt)
    assert not SessionNote.objects.exists()
    assert not ChildSession.objects.exists()
    assert not SessionRemoval.objects.exists()
    assert AgentSeen.objects.get(agent__name="only-here").call_id is None
    assert figures(project.pk, CallFilter()).calls == 1


def test_the_audit_log_records_the_deletion_without_session_content(project, held):
    remove_session(held, typed=SECRET, by=CONSOLE)
    run_waiting_removals()
    deleted, removed = AuditEntry.objects.filter(action__startswith="session ").order_by("number")
    assert (deleted.action, removed.action) == ("session deleted", "session removed")
    assert deleted.subject == removed.subject
    assert SECRET not in f"{deleted.subject} {deleted.details} {removed.subject} {removed.details}"
    counted = {name: removed.details[name] for name in ("calls", "events", "artifacts")}
    assert counted == {"calls": 4, "events": 4, "artifacts": 1}
    assert (removed.details["counters"], removed.details["rejected_items"]) == (1, 1)
    assert verify(project) is None


def test_an_interrupted_removal_leaves_correct_counts_and_resumes(held):
    remove_session(held, typed=SECRET, by=CONSOLE)
    number = SessionRemoval.objects.get().pk
    assert remove_some(number, at_once=1) is False
    assert figures(held.project_id, CallFilter()).calls == Call.objects.count() == 4
    assert Event.objects.count() == 4
    assert run_waiting_removals() == 1
    assert differences() == []
    assert remove_some(number) is None


def test_an_agent_that_continues_after_the_deletion_starts_a_new_session(agent, held):
    remove_session(held, typed=SECRET, by=CONSOLE)
    run_waiting_removals()
    agent.post(an_item(SECRET))
    assert agent.session(SECRET)["counts"]["attempts"] == 1
    assert differences() == []


def test_calls_reported_during_the_removal_are_removed_too(agent, held):
    remove_session(held, typed=SECRET, by=CONSOLE)
    agent.post(an_item(SECRET))
    run_waiting_removals()
    assert not Session.objects.filter(session_id=SECRET).exists()
    assert differences() == []


def test_deleting_requires_the_admin_role_and_the_typed_session_id(project, held):
    with pytest.raises(InvalidInput):
        remove_session(held, typed="jane", by=CONSOLE)
    editor = builders.a_member(project, Role.EDITOR)
    pages = Pages(builders.signed_in(editor.user), project.slug)
    assert pages.get("delete-session/", of=SECRET).status_code == 403
    with pytest.raises(Forbidden):
        remove_session(held, typed=SECRET, by=access_of_member(editor).actor)
    admin = Pages(builders.signed_in(builders.a_member(project, Role.ADMIN).user), project.slug)
    assert "Delete this session with its 4 calls, permanently?" in admin.text(
        "delete-session/", of=SECRET
    )
    address = f"{admin.base}/delete-session/?of={SECRET}"
    wrong = admin.client.post(address, {"typed": "jane"})
    assert wrong.status_code == 422
    assert "Type the session ID exactly as shown." in wrong.text
    assert admin.client.post(address, {"typed": SECRET}).status_code == 302
    assert admin.get(f"sessions/{SECRET}/").status_code == 404


def test_a_manage_key_can_delete_a_session_and_a_read_key_cannot(agent, reader, held):
    address = f"/v1/agent-sessions/{SECRET}?env=production"
    assert reader.delete(address).status_code == 403
    assert agent.client.delete(address).status_code == 202
    assert agent.client.delete(address).status_code == 404


def test_a_session_id_with_control_characters_is_confirmed_without_them(project, agent):
    name = " s-1\r\nof\tjane "
    agent.post(an_item(name))
    admin = Pages(builders.signed_in(builders.a_member(project, Role.ADMIN).user), project.slug)
    address = f"{admin.base}/delete-session/?{urlencode({'of': name})}"
    assert admin.client.post(address, {"typed": "s-1 of"}).status_code == 422
    assert admin.client.post(address, {"typed": "s-1of jane"}).status_code == 422
    assert admin.client.post(address, {"typed": "s-1 of jane"}).status_code == 302
    assert agent.client.get("/v1/agent-sessions", {"session": name}).json()["sessions"] == []

"""Retention: when rows are removed, and the audit entry for each removal."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from governance import tasks
from governance.approvals import retention
from governance.approvals.commands import decide, expire_approvals
from governance.approvals.retention import remove_approvals
from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.delivery import news
from governance.delivery.commands.retention import remove_old_notes
from governance.delivery.commands.streams import resolve_targets
from governance.delivery.news import Connected, Place
from governance.delivery.queries.streams import StreamRequest
from governance.findings import open_finding, resolve
from governance.models import AnnouncedAssignment, Approval, AuditEntry, Fetches, Finding
from tests import builders
from tests.governance.approvals.builders import an_approval, moved, ran_out


@pytest.fixture
def connected(project, monkeypatch):
    """Agents with an open stream, as the broker reports them."""
    held: list[Connected] = []
    monkeypatch.setattr(news, "connected", lambda _: held)
    return held


def decided(project, *, days, approve=True):
    approval = decide(an_approval(project), approve=approve, by=CONSOLE)
    return moved(approval, days=days)


def entries(action):
    return list(AuditEntry.objects.filter(action=action))


def remove(project, days, **held):
    """Remove all approvals that ended this many days ago or earlier; returns how many."""
    before = timezone.now() - timedelta(days=days)
    removed = 0
    for environment in project.environments.all():
        while went := remove_approvals(environment, before, **held):
            removed += went
    return removed


def test_old_approvals_are_removed_and_the_log_counts_them_by_status(project):
    result = decided(project, days=89)
    decided(project, days=91)
    rejected = decided(project, days=92, approve=False)
    moved(ran_out(project), days=91)
    expire_approvals()
    waiting = moved(an_approval(project, timeout_s=366 * 86_400), days=200)
    assert remove(project, 90) == 3
    assert set(Approval.objects.all()) == {result, waiting}
    (entry,) = entries("old approvals removed")
    assert entry.actor == "console"
    assert {name: entry.details[name] for name in ("approved", "rejected", "timed_out")} == {
        "approved": 1,
        "rejected": 1,
        "timed_out": 1,
    }
    assert entry.details["ended_from"] == rejected.ends_at.isoformat()
    assert verify(project) is None


def test_approvals_of_held_sessions_are_not_removed(project):
    approval = decided(project, days=91)
    assert remove(project, 90, held={approval.session_id}) == 0
    assert remove(project, 90) == 1


def test_many_old_approvals_are_removed_in_batches(project, monkeypatch):
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    for days in range(91, 96):
        decided(project, days=days)
    assert remove(project, 90) == 5
    assert len(entries("old approvals removed")) == 3


def test_retention_is_applied_per_project(project):
    other = builders.a_project()
    decided(other, days=91)
    decided(project, days=91)
    remove(other, 90)
    assert [each.project for each in entries("old approvals removed")] == [other]


def test_old_notes_are_removed_and_the_log_counts_them_by_kind(project, connected):
    production = builders.an_environment(project)
    key, long_ago = builders.a_key(project)[1], timezone.now() - timedelta(days=99)
    for name, at in (("gone", long_ago), ("here", timezone.now())):
        Fetches.objects.create(environment=production, agent=name, key=key, last_at=at)
        AnnouncedAssignment.objects.create(
            environment=production, agent=name, bundle_name="d", at=at
        )
        open_finding(project.pk, "odd", name, why="So.")
        resolve(project.pk, "odd", name)
        Finding.objects.filter(subject=name).update(resolved_at=at)
    open_finding(project.pk, "odd", "open", why="So.")
    Finding.objects.filter(subject="open").update(since=long_ago, last_at=long_ago)
    assert remove_old_notes() == 3
    assert Fetches.objects.get().agent == AnnouncedAssignment.objects.get().agent == "here"
    assert {each.subject for each in Finding.objects.all()} == {"here", "open"}
    (entry,) = entries("old notes removed")
    assert entry.details == {"fetches": 1, "told_assignments": 1, "findings": 1}
    assert remove_old_notes() == 0


@pytest.fixture
def assigned(project):
    """Assignment announced to an agent so long ago that its record is due for removal."""
    production = builders.an_environment(project)
    long_ago = timezone.now() - timedelta(days=99)
    return AnnouncedAssignment.objects.create(
        environment=production, agent="bot", bundle_name="d", at=long_ago
    )


def test_announced_assignments_are_not_removed_while_the_agent_is_connected(
    project, connected, assigned
):
    connected.append(Connected("bot", "production", "d", "", 0.0))
    assert remove_old_notes() == 0
    connected.clear()
    assert remove_old_notes() == 0
    assert AnnouncedAssignment.objects.count() == 1


def test_announced_assignments_are_not_removed_while_connections_are_unknown(
    project, assigned, monkeypatch
):
    monkeypatch.setattr(news, "connected", lambda _: None)
    assert remove_old_notes() == 0


def test_announced_assignments_are_not_removed_after_an_agent_reconnects(
    project, connected, assigned
):
    place = Place(project.pk, assigned.environment_id)
    resolve_targets(
        place,
        [
            StreamRequest(
                place=place, environment="", key_id=1, agent="bot", bundle="d", dialect="new"
            )
        ],
    )
    assert remove_old_notes() == 0
    assert AnnouncedAssignment.objects.get().at > timezone.now() - timedelta(minutes=1)


def test_expired_browser_sessions_are_removed(admin_client):
    cookie = admin_client.cookies["sessionid"].value
    old = builders.signed_in(builders.a_user())
    session = old.session
    session.set_expiry(-1)
    session.save()
    tasks.remove_what_is_old()
    assert [row.session_key for row in Session.objects.all()] == [cookie]

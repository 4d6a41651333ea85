"""Streaming an audit log to another system: every entry, in order, despite failures."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from edictum_site.doctor.results import State
from edictum_site.doctor.work import audit_streams
from governance.audit.commands.stream import send_stream, send_streams, set_stream
from governance.audit.domain import pause_after
from governance.audit_log import record, remove_entries
from governance.core.actor import CONSOLE
from governance.core.errors import Forbidden, InvalidInput
from governance.core.roles import Role
from governance.models import AuditEntry, AuditStream
from tests import builders
from tests.governance.deploying import somebody
from tests.governance.outbound.receiving import receiver


@pytest.fixture(autouse=True)
def _loopback(settings):
    settings.OUTBOUND_NETWORKS = ["127.0.0.0/8"]


def streamed(project, at) -> AuditStream:
    return set_stream(project, url=at.url, token="a-token", by=CONSOLE)


def numbers_in(at) -> list[int]:
    return [json.loads(line)["number"] for line in at.text.splitlines()]


def send_now(project) -> AuditStream:
    AuditStream.objects.update(due_at=timezone.now())
    send_streams()
    return AuditStream.objects.get(project=project)


def test_each_entry_is_delivered_once_with_the_token(project, monkeypatch):
    monkeypatch.setattr("governance.audit.commands.stream.BATCH", 2)
    record(CONSOLE, "tried", "1", project=project)
    with receiver() as at:
        streamed(project, at)
        for subject in ("3", "4"):
            record(CONSOLE, "tried", subject, project=project)
        send_now(project)
        record(CONSOLE, "tried", "5", project=project)
        row = send_now(project)
    assert numbers_in(at) == [1, 2, 3, 4, 5]
    assert row.delivered == 5
    assert {headers["Authorization"] for _, headers, _ in at.requests} == {"Bearer a-token"}
    entry = AuditEntry.objects.get(project=project, number=5)
    last = json.loads(at.text.splitlines()[-1])
    assert (last["hash"], last["subject"]) == (entry.hash, "5")
    assert b"a-token" not in bytes(row.sealed_token)


def test_entries_are_delivered_after_a_receiver_recovers(project, client_as):
    with receiver(status=503) as at:
        streamed(project, at)
        row = send_now(project)
        assert (row.delivered, row.failures) == (0, 1)
        assert row.error == "The receiver answered with status 503."
        send_stream(row.pk)  # not before its retry delay is over
        assert len(at.requests) == 1
        (result,) = audit_streams()
        assert (result.state, "status 503" in result.detail) == (State.WARNING, True)
        page = client_as(Role.ADMIN).get(reverse("governance:audit_stream", args=[project.slug]))
        assert "The audit log is not sent" in page.text
        at.status = 200
        row = send_now(project)
    assert (row.delivered, row.failures, row.error, row.failed_since) == (1, 0, "", None)


def test_a_killed_senders_lease_expires_and_another_sender_continues(project):
    with receiver() as at:
        row = streamed(project, at)
        AuditStream.objects.update(due_at=timezone.now() + timedelta(minutes=4))  # its lease
        send_stream(row.pk)
        assert at.requests == []
        send_now(project)
    assert numbers_in(at) == [1]


def test_the_retry_delay_grows_up_to_five_minutes():
    assert [pause_after(failures).seconds for failures in (1, 2, 3, 99)] == [5, 10, 20, 300]


def test_retention_does_not_remove_undelivered_entries(project):
    with receiver() as at:
        streamed(project, at)
        send_now(project)
    record(CONSOLE, "tried", "2", project=project)
    later = timezone.now()
    record(CONSOLE, "tried", "3", project=project)
    assert remove_entries(project, later) == 1
    assert AuditEntry.objects.filter(project=project, number=2).exists()


def test_a_private_receiver_is_rejected_unless_allowed(project, settings, client_as):
    settings.OUTBOUND_NETWORKS = []
    with pytest.raises(InvalidInput, match="not public"):
        set_stream(project, url="https://127.0.0.1/", token="", by=CONSOLE)
    at = reverse("governance:audit_stream", args=[project.slug])
    page = client_as(Role.ADMIN).post(at, {"url": "https://169.254.169.254/latest"})
    assert page.status_code == 422
    assert "not public" in page.text
    with pytest.raises(Forbidden):
        set_stream(project, url="https://127.0.0.1/", token="", by=somebody())


def test_an_admin_sets_and_removes_a_stream(project, admin_client):
    at = reverse("governance:audit_stream", args=[project.slug])
    assert admin_client.post(at, {"url": "https://127.0.0.1/x", "token": "t"})["Location"] == at
    assert "No entry has arrived yet" in admin_client.get(at).text
    admin_client.post(reverse("governance:end_audit_stream", args=[project.slug]))
    assert not AuditStream.objects.exists()
    actions = AuditEntry.objects.order_by("number").values_list("action", flat=True)
    assert list(actions) == ["audit stream set", "audit stream removed"]


def test_a_stream_sends_only_entries_of_its_project(project):
    record(CONSOLE, "tried", "a secret of another", project=builders.a_project())
    with receiver() as at:
        streamed(project, at)
        send_now(project)
    assert "another" not in at.text

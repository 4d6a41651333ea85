"""Rejected attempts and downloads in the audit log, with address and user agent."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from governance.audit.commands import requests
from governance.core.roles import Role
from governance.models import AuditEntry
from tests import builders

ROUTE = "/v1/keys"
FROM: dict[str, Any] = {"REMOTE_ADDR": "192.0.2.7", "HTTP_USER_AGENT": "a browser"}


@pytest.fixture
def ana(project):
    user = builders.a_user("ana@example.test")
    return builders.a_member(project, Role.VIEWER, user=user).user


def newest(project) -> AuditEntry:
    return AuditEntry.objects.filter(project=project).order_by("-number")[0]


def entries(project) -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(project=project).order_by("number")
    return [(entry.action, entry.subject) for entry in rows]


def test_repeated_forbidden_page_requests_are_audited_once_a_minute_with_a_count(
    project, ana, monkeypatch
):
    now = 0.0
    monkeypatch.setattr(requests, "_clock", lambda: now)
    client = builders.signed_in(ana)
    keys = reverse("governance:new_key", args=[project.slug])
    for _ in range(3):
        assert client.get(keys, **FROM).status_code == 403
    assert entries(project) == [("request refused", "GET new_key")]
    now = 61.0
    client.get(keys, **FROM)
    entry = newest(project)
    assert entry.details == {"path": keys, "repeats_before": 2}
    assert (entry.address, entry.actor) == ("192.0.2.7", "person:ana@example.test")


def test_a_forbidden_key_is_audited_and_an_unknown_key_is_not(project):
    text, key = builders.a_key(project, "agent")
    assert Client().get(ROUTE, headers={"Authorization": f"Bearer {text}"}).status_code == 403
    assert Client().get(ROUTE, headers={"Authorization": "Bearer edk_x"}).status_code == 401
    (entry,) = AuditEntry.objects.all()
    assert (entry.action, entry.actor) == ("request refused", f"key:{key.pk} {key.name}")


def test_a_forbidden_api_request_by_a_member_is_audited(project, ana):
    client = builders.signed_in(ana)
    client.post("/v1/signing-key/rotations")
    assert [action for action, _ in entries(project)] == ["request refused"]


def test_a_download_is_audited_with_its_file_name(project, ana):
    builders.signed_in(ana).get(reverse("governance:audit", args=[project.slug]), {"format": "csv"})
    ((action, subject),) = entries(project)
    assert action == "file downloaded"
    assert subject.startswith(f"{project.slug}-audit-log-")

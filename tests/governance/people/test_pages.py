"""Settings pages: content, actions and error messages."""

from datetime import timedelta
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands.documents import complete_documents
from governance.models import ApiKey, Member, Project, SigningKey
from governance.people.auth import forget_keys, resolve_key
from governance.people.commands.keys import make_key
from governance.people.commands.people import invite
from governance.projects.commands import rename_project
from tests import builders


@pytest.fixture
def here(project):
    return lambda name, *ids: reverse(f"governance:{name}", args=[project.slug, *ids])


def test_an_empty_key_list_has_a_link_to_create_one(admin_client, here):
    page = admin_client.get(here("keys")).text
    assert "No active keys: agents can't report" in page
    assert here("new_key") in page


def test_a_viewer_can_list_but_not_change_keys(project, client_as, here):
    _, key = builders.a_key(project)
    page = client_as(Role.VIEWER).get(here("keys")).text
    assert key.hint in page
    assert here("new_key") not in page
    assert here("revoke_key", key.pk) not in page


def test_a_new_key_is_displayed_once_and_works(admin_client, here):
    fields = {"name": "billing", "environment": "staging", "scopes": ["agent"], "expires": "30"}
    answer = admin_client.post(here("new_key"), fields)
    assert answer["Location"] == here("key_created", ApiKey.objects.get().pk)
    page = admin_client.get(answer["Location"])
    text = page.context["text"]
    assert text in page.text
    assert "no-store" in page["Cache-Control"]
    assert admin_client.get(answer["Location"])["Location"] == here("keys")  # reloaded
    assert resolve_key(f"Bearer {text}")
    assert ApiKey.objects.get().expires_at is not None
    assert text not in admin_client.get(here("keys")).text


@pytest.mark.parametrize("glob", ["", "billing-*", "bot?", "nightly"])
def test_the_sample_command_of_a_new_key_uses_an_agent_of_its_glob(admin_client, here, glob):
    fields = {"name": "b", "environment": "staging", "scopes": ["agent"], "agent": glob}
    page = admin_client.post(here("new_key"), fields, follow=True)
    _, sent, _ = unescape(page.text.partition('id="connect"')[2]).split("'", 2)
    key = {"Authorization": f"Bearer {page.context['text']}"}
    result = Client().post("/v1/outcomes", sent, content_type="application/json", headers=key)
    assert result.json()["accepted"] == 1


def test_an_invalid_field_has_its_error_and_other_input_is_preserved(admin_client, here):
    page = admin_client.post(
        here("new_key"), {"name": "billing", "environment": "-x", "scopes": ["agent"]}
    )
    assert page.status_code == 422
    assert "starts with a letter or digit" in str(page.context["form"].errors["environment"])
    assert "<code>.</code>, <code>_</code>" in page.text
    assert "`" not in page.text
    assert 'value="billing"' in page.text
    empty = admin_client.post(here("new_key"), {})
    assert set(empty.context["form"].errors) == {"name", "environment", "scopes"}


def test_a_key_is_revoked_after_confirmation(project, admin_client, here):
    _, key = builders.a_key(project)
    assert "can't be undone" in admin_client.get(here("revoke_key", key.pk)).text
    assert ApiKey.objects.get().revoked_at is None
    page = admin_client.post(here("revoke_key", key.pk), follow=True).text
    assert f"{key.name} revoked" in page
    assert ApiKey.objects.get().revoked_at is not None
    assert admin_client.get(here("revoke_key", key.pk)).status_code == 404


def test_keys_are_active_revoked_or_expired(project, admin_client, here):
    builders.a_key(project)
    _, old = builders.a_key(project)
    ApiKey.objects.filter(pk=old.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    _, gone = builders.a_key(project)
    admin_client.post(here("revoke_key", gone.pk))
    page = admin_client.get(here("keys")).text
    assert "1 active key, 1 never used" in page
    ended = page.partition("Revoked and expired")[2]
    assert "expired <span" in ended
    assert "revoked <span" in ended


def test_a_key_of_another_project_cannot_be_revoked(admin_client, here):
    _, key = builders.a_key(builders.a_project())
    assert admin_client.post(here("revoke_key", key.pk)).status_code == 404


def test_an_invitation_link_is_displayed_once(project, admin_client, here):
    answer = admin_client.post(here("invite"), {"email": "new@example.test", "role": "editor"})
    page = admin_client.get(answer["Location"])
    link = page.context["link"]
    assert link in page.text
    assert "no-store" in page["Cache-Control"]
    assert Client().get(urlsplit(link).path).status_code == 200
    listed = admin_client.get(here("members")).text
    assert "new@example.test" in listed
    assert link not in listed
    assert admin_client.get(answer["Location"])["Location"] == here("members")  # reloaded


def test_an_invitation_can_be_withdrawn(project, admin_client, here):
    invite(project, email="new@example.test", role=Role.VIEWER, by=CONSOLE)
    invitation = project.invitations.get()
    admin_client.post(here("withdraw_invitation", invitation.pk))
    assert not project.invitations.exists()
    assert admin_client.post(here("withdraw_invitation", invitation.pk)).status_code == 404


def test_a_role_can_be_changed_on_a_page(project, admin_client, here):
    member = builders.a_member(project)
    admin_client.post(here("change_role", member.pk), {"role": "operator"})
    member.refresh_from_db()
    assert member.role == Role.OPERATOR


def test_the_last_admin_cannot_be_removed_or_demoted_and_the_page_says_why(
    project, admin_client, here
):
    admin = Member.objects.get()
    demoted = admin_client.post(here("change_role", admin.pk), {"role": "viewer"})
    removed = admin_client.post(here("remove_member", admin.pk))
    assert (demoted.status_code, removed.status_code) == (422, 409)
    assert "only admin" in demoted.text
    assert "only admin" in removed.text


def test_an_admin_who_removes_themselves_loses_access_immediately(project, admin_client, here):
    me = Member.objects.get()
    builders.a_member(project, Role.ADMIN)
    assert admin_client.post(here("remove_member", me.pk))["Location"] == "/"
    assert admin_client.get(here("members")).status_code == 404


def test_renaming_a_project_does_not_change_its_address(project, admin_client, here):
    admin_client.post(here("rename"), {"name": "Finance agents"})
    changed = Project.objects.get()
    assert (changed.name, changed.slug) == ("Finance agents", project.slug)
    assert admin_client.post(here("rename"), {"name": " "}).status_code == 422


def test_the_project_switcher_lists_only_your_own_projects(project, admin_client):
    builders.a_project("somebody-elses")
    page = admin_client.post(reverse("governance:new_project"), {"name": "Lab"}, follow=True)
    assert "Lab created" in page.text
    assert {each.slug for each in page.context["projects"]} == {project.slug, "lab"}


def test_the_audit_log_is_paginated(project, admin_client, here):
    for number in range(120):
        record(CONSOLE, "deployed", f"billing v{number}", project=project)
    first = admin_client.get(here("audit"))
    numbers = [[line.entry.number for line in first.context["lines"]]]
    page = first
    while page.context["older"]:
        page = admin_client.get(here("audit") + page.context["older"])
        numbers.append([line.entry.number for line in page.context["lines"]])
    assert [number for each in numbers for number in each] == list(range(120, 0, -1))
    back = admin_client.get(here("audit") + page.context["newer"])
    assert [line.entry.number for line in back.context["lines"]] == numbers[1]


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 40, "²", ""])
def test_an_invalid_cursor_returns_the_newest_entries(project, admin_client, here, cursor):
    record(CONSOLE, "deployed", "billing v1", project=project)
    page = admin_client.get(here("audit"), {"before": cursor})
    assert [line.entry.number for line in page.context["lines"]] == [1]


def test_markup_in_names_is_escaped_on_every_page(project, admin_client, here):
    evil = "<script>alert(1)</script>"
    rename_project(project, name=evil, by=CONSOLE)
    make_key(project, name=evil, env="production", scopes=["agent"], by=CONSOLE, agent="<b>*")
    for name in ("settings", "keys", "members", "audit"):
        page = admin_client.get(here(name)).text
        assert evil not in page
        assert "<b>*" not in page


def test_an_unauthenticated_fragment_redirects_the_browser_to_sign_in(project, here):
    answer = Client(headers={"HX-Request": "true"}).get(here("keys"))
    assert answer["HX-Redirect"].startswith(reverse("account_login"))


def test_an_admin_can_rotate_the_signing_key_after_confirmation(
    project, admin_client, client_as, here
):
    empty = admin_client.get(here("signing_key")).text
    assert "No key yet" in empty
    complete_documents(project)
    old = SigningKey.objects.get().public_key
    seen = client_as(Role.VIEWER).get(here("signing_key")).text
    assert old in seen
    assert here("rotate_signing_key") not in seen
    assert "new public key" in admin_client.get(here("rotate_signing_key")).text
    page = admin_client.post(here("rotate_signing_key"), follow=True).text
    new = SigningKey.objects.get(retired_at=None).public_key
    assert new != old
    assert new in page
    assert old[:16] in page
    assert here("signing_key") in admin_client.get(here("settings")).text


def test_a_key_can_be_rotated_and_its_old_value_ended_on_its_page(project, admin_client, here):
    old, key = builders.a_key(project)
    assert "Rotate…" in admin_client.get(here("key", key.pk)).text
    answer = admin_client.post(here("rotate_key", key.pk), {"overlap_hours": "24"})
    text = admin_client.get(answer["Location"]).context["text"]
    forget_keys()
    assert resolve_key(f"Bearer {text}")
    assert resolve_key(f"Bearer {old}")
    page = admin_client.get(here("key", key.pk)).text
    assert "two valid values" in page
    assert text not in page
    admin_client.post(here("end_previous_value", key.pk))
    forget_keys()
    assert resolve_key(f"Bearer {old}") is None
    assert "End old value now" not in admin_client.get(here("key", key.pk)).text


def test_limits_of_a_key_can_be_changed_on_its_page(project, admin_client, here):
    _, key = builders.a_key(project)
    fields = {"networks": "10.1.2.3/8\n192.0.2.7", "requests_per_minute": "600"}
    admin_client.post(here("key_limits", key.pk), fields)
    page = admin_client.get(here("key", key.pk)).text
    assert "10.0.0.0/8" in page
    assert "600 requests a minute" in page
    refused = admin_client.post(here("key_limits", key.pk), {"networks": "office"})
    assert refused.status_code == 422
    assert "CIDR form" in refused.text


def test_a_project_can_require_expiry_of_all_keys(project, admin_client, here):
    builders.a_key(project)
    page = admin_client.post(here("key_expiry"), {"max_days": "90"}, follow=True).text
    assert "1 key expires earlier than before" in page
    assert "Expiry: 90 days…" in page
    assert "at most 90 days" in admin_client.get(here("new_key")).text

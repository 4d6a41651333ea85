"""Leaving members: their sessions and keys end, and the last admin cannot leave."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from governance.alerts.queries import open_alerts
from governance.audit_log import verify
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict, Forbidden
from governance.core.roles import Role
from governance.models import AuditEntry, Finding
from governance.people import auth
from governance.people.auth import access_of_member, resolve_key
from governance.people.commands.accounts import activate_account, deactivate_account
from governance.people.commands.keys import make_key, revoke_key
from governance.people.commands.people import change_role, remove_member
from governance.people.queries.keys import live_keys
from tests import builders
from tests.builders import PASSWORD


@pytest.fixture
def admin(project):
    return builders.a_member(project, Role.ADMIN, user=builders.a_user("admin@example.test"))


@pytest.fixture
def leaving(project):
    user = builders.a_user("leaving@example.test", password=PASSWORD)
    return builders.a_member(project, Role.ADMIN, user=user)


def a_key_of(member, name="billing", *, by=None, scopes=("manage",)):
    actor = by or access_of_member(member).actor
    return make_key(member.project, name=name, env="production", scopes=scopes, by=actor)[0]


def actor_of(key: str) -> Actor:
    access = resolve_key(f"Bearer {key}")
    assert access is not None
    return access.actor


def is_valid(key: str) -> bool:
    auth.forget_keys()
    return resolve_key(f"Bearer {key}") is not None


def opens(client: Client, project) -> bool:
    return client.get(reverse("governance:keys", args=[project.slug])).status_code == 200


def sign_in(client: Client, email: str) -> bool:
    client.post(reverse("account_login"), {"login": email, "password": PASSWORD})
    return "_auth_user_id" in client.session


def test_removing_a_member_revokes_their_keys_and_keys_created_by_those(project, admin, leaving):
    mine = a_key_of(admin, "mine")
    theirs = a_key_of(leaving)
    by_theirs = a_key_of(leaving, by=actor_of(theirs), scopes=["agent"])
    remove_member(leaving, by=access_of_member(admin).actor)
    assert [is_valid(key) for key in (mine, theirs, by_theirs)] == [True, False, False]
    row = list(AuditEntry.objects.order_by("number").values_list("action", flat=True))
    assert row[-3:] == ["key revoked", "key revoked", "member removed"]
    assert verify(project) is None


def test_rejoining_does_not_restore_revoked_keys(project, admin, leaving):
    key, user = a_key_of(leaving), leaving.user
    remove_member(leaving, by=access_of_member(admin).actor)
    builders.a_member(project, Role.ADMIN, user=user)
    assert not is_valid(key)


def test_the_removal_page_lists_the_keys_it_will_revoke(project, admin, leaving):
    a_key_of(leaving, "billing in production")
    client = builders.signed_in(admin.user)
    for page in ("remove_member", "member_account"):
        text = client.get(reverse(f"governance:{page}", args=[project.slug, leaving.pk])).text
        assert "billing in production" in text
        assert "Keys that will be revoked" in text


def test_an_alert_names_the_keys_of_a_demoted_admin(project, admin, leaving):
    a_key_of(leaving, "billing")
    a_key_of(leaving, "support")
    change_role(leaving, role=Role.VIEWER, by=access_of_member(admin).actor)
    (finding,) = open_alerts(project)
    assert finding.subject == "leaving@example.test"
    assert "billing" in finding.why
    assert "support" in finding.why
    first, second = live_keys(project)
    revoke_key(first, by=CONSOLE)
    assert open_alerts(project)
    revoke_key(second, by=CONSOLE)
    assert not open_alerts(project)


@pytest.mark.parametrize("end", ["remove", "promote"])
def test_the_alert_is_resolved_by_removing_or_promoting_the_member(project, admin, leaving, end):
    a_key_of(leaving)
    by = access_of_member(admin).actor
    change_role(leaving, role=Role.EDITOR, by=by)
    if end == "remove":
        remove_member(leaving, by=by)
    else:
        change_role(leaving, role=Role.ADMIN, by=by)
    assert Finding.objects.get().resolved_at is not None


def test_deactivating_an_account_ends_its_sessions_and_keys_immediately(project, admin, leaving):
    key, browser = a_key_of(leaving), Client()
    assert sign_in(browser, leaving.user.email)
    assert opens(browser, project)
    page = reverse("governance:member_account", args=[project.slug, leaving.pk])
    done = builders.signed_in(admin.user).post(page, {"to": "inactive"}, follow=True)
    assert "deactivated" in done.text
    assert not is_valid(key)
    assert not opens(browser, project)
    assert not sign_in(Client(), leaving.user.email)


def test_a_reactivated_account_can_sign_in_again(project, admin, leaving):
    key, browser = a_key_of(leaving), Client()
    sign_in(browser, leaving.user.email)
    by = access_of_member(admin).actor
    deactivate_account(leaving.user, by=by)
    activate_account(leaving.user, by=by)
    assert not opens(browser, project)
    assert not is_valid(key)
    assert sign_in(browser, leaving.user.email)
    row = list(AuditEntry.objects.order_by("number").values_list("action", flat=True))
    assert row[-4:] == ["key revoked", "account deactivated", "account activated", "signed in"]


def test_the_last_admin_cannot_be_deactivated(project, leaving):
    with pytest.raises(Conflict, match="only admin"):
        deactivate_account(leaving.user, by=CONSOLE)
    page = reverse("governance:member_account", args=[project.slug, leaving.pk])
    answer = builders.signed_in(leaving.user).post(page, {"to": "inactive"})
    assert answer.status_code == 409
    assert "only admin" in answer.text


def test_a_deactivated_admin_does_not_count_as_a_remaining_admin(project, admin, leaving):
    deactivate_account(admin.user, by=CONSOLE)
    for end in (
        lambda: remove_member(leaving, by=CONSOLE),
        lambda: change_role(leaving, role=Role.VIEWER, by=CONSOLE),
        lambda: deactivate_account(leaving.user, by=CONSOLE),
    ):
        with pytest.raises(Conflict):
            end()


def test_an_admin_cannot_deactivate_a_member_of_a_project_they_do_not_administer(admin, leaving):
    elsewhere = builders.a_member(builders.a_project(), Role.VIEWER, user=leaving.user)
    by = access_of_member(admin).actor
    with pytest.raises(Forbidden):
        deactivate_account(leaving.user, by=by)
    builders.a_member(elsewhere.project, Role.ADMIN, user=admin.user)
    deactivate_account(leaving.user, by=by)


def test_a_manage_key_cannot_deactivate_an_account(admin, leaving):
    by = actor_of(a_key_of(admin))
    with pytest.raises(Forbidden):
        deactivate_account(leaving.user, by=by)


def test_the_command_deactivates_and_activates_an_account(admin, leaving, capsys):
    call_command("account", "deactivate", "Leaving@example.test")
    leaving.user.refresh_from_db()
    assert not leaving.user.is_active
    call_command("account", "activate", leaving.user.email)
    leaving.user.refresh_from_db()
    assert leaving.user.is_active
    with pytest.raises(CommandError, match="No account"):
        call_command("account", "deactivate", "nobody@example.test")
    call_command("account", "deactivate", admin.user.email)
    with pytest.raises(CommandError, match="only admin"):
        call_command("account", "deactivate", leaving.user.email)

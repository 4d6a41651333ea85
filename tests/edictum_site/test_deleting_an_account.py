"""Account deletion and export: a person's work retains a name, and all other data is removed."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.models import CharField, JSONField, TextField
from django.test import Client
from django.urls import reverse

from governance.audit_log import verify
from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry, Member, Project, User
from governance.people.auth import access_of_member
from governance.people.commands.deletion import delete_account
from governance.people.commands.keys import make_key
from governance.people.commands.people import invite
from governance.people.domain import Scope
from outcomes.sessions.commands.saved_views import save_view
from tests import builders
from tests.builders import PASSWORD
from tests.edictum_site.factors import add_app
from tests.governance.contracts.documents import ALWAYS, document, pre

EMAIL = "leaving.person@example.test"
AUDIT = "governance.AuditEntry"  # chained: its entries never change


@pytest.fixture
def member(project: Project) -> Member:
    builders.a_member(project, Role.ADMIN)
    return builders.a_member(project, Role.ADMIN, user=builders.a_user(EMAIL, password=PASSWORD))


@pytest.fixture
def busy(project: Project, member: Member) -> Client:
    """A browser of the member, whose name is stored in many places."""
    browser = Client(headers={"User-Agent": "Firefox/140.0 Linux"})
    browser.post("/account/sign-in/", {"login": EMAIL, "password": PASSWORD})
    add_app(browser)
    by = access_of_member(member).actor
    make_key(project, name="theirs", env="production", scopes=[Scope.AGENT], by=by)
    save_version(project, document=document(pre(ALWAYS)), by=by)
    save_view(project.pk, "mine", "q=a", shared=False, by=by)
    save_view(project.pk, "of all", "q=b", shared=True, by=by)
    return browser


def places_of(text: str) -> set[str]:
    """Columns of all tables that contain this text."""
    places = set()
    for model in apps.get_models():
        for field in model._meta.fields:
            if isinstance(field, CharField | TextField | JSONField):
                rows = model._default_manager.values_list(field.name, flat=True)
                if any(text in str(each) for each in rows):
                    places.add(f"{model._meta.label}.{field.name}")
    return places


def test_only_the_audit_log_names_a_deleted_person(project, member, busy):
    assert len(places_of(EMAIL)) > 4
    delete_account(member.user, by=CONSOLE)
    assert {place.rpartition(".")[0] for place in places_of(EMAIL)} == {AUDIT}
    assert verify(project) is None


def test_work_of_a_deleted_person_retains_their_name(project, member, busy):
    User.objects.filter(pk=member.user_id).update(name="Lea Leaving")
    page = reverse("governance:delete_account", args=[project.slug, member.pk])
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    assert "by Lea Leaving" in admin.get(page).text
    assert "Their work is by Lea Leaving." in admin.post(page, follow=True).text
    version = admin.get(reverse("governance:contract_version", args=[project.slug, "d", 1]))
    assert "Lea Leaving" in version.text
    assert EMAIL not in version.text


def test_a_deleted_account_has_no_access_anywhere(project, member, busy):
    key = project.keys.get(name="theirs")
    assert busy.get("/account/profile/").status_code == 200
    call_command("account", "delete", EMAIL)
    assert busy.get("/account/profile/").status_code == 302
    key.refresh_from_db()
    assert key.revoked_at is not None
    answer = Client().post("/account/sign-in/", {"login": EMAIL, "password": PASSWORD})
    assert "Wrong email or password." in answer.text
    assert not Member.objects.filter(user=member.user_id).exists()


def test_the_email_of_a_deleted_account_can_be_invited_again(project, member):
    delete_account(member.user, by=CONSOLE)
    token = invite(project, email=EMAIL, role=Role.VIEWER, by=CONSOLE)
    Client().post(f"/join/{token}/", {"password": PASSWORD})
    assert Member.objects.get(user__email=EMAIL).role == Role.VIEWER


def test_the_only_admin_cannot_be_deleted(project):
    only = builders.a_member(project, Role.ADMIN)
    admin = builders.signed_in(only.user)
    path = reverse("governance:delete_account", args=[project.slug, only.pk])
    page = admin.post(path)
    assert (page.status_code, "only admin" in page.text) == (409, True)
    assert User.objects.get(pk=only.user_id).is_active


def test_an_admin_of_only_one_of_their_projects_cannot_delete_a_person(project, member):
    builders.a_member(builders.a_project(), user=member.user)
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    path = reverse("governance:delete_account", args=[project.slug, member.pk])
    assert admin.post(path).status_code == 409
    assert User.objects.filter(email=EMAIL).exists()


def test_a_person_can_download_their_data_without_secrets(project, member, busy):
    data = busy.get("/account/data/").json()
    assert data["profile"]["email"] == EMAIL
    assert data["memberships"][0]["project"] == project.slug
    assert [each["name"] for each in data["api_keys_created"]] == ["theirs"]
    assert {each["type"] for each in data["second_factors"]} == {"totp", "recovery_codes"}
    assert len(data["sessions"]) == 1
    assert "signed in" in {each["action"] for each in data["audit_log"]}
    text = str(data)
    assert "argon2" not in text
    assert "secret" not in text


def test_the_download_contains_no_data_of_other_people(project, member, busy):
    other = builders.a_member(project, user=builders.a_user("other@example.test"))
    assert AuditEntry.objects.exists()
    assert EMAIL not in builders.signed_in(other.user).get("/account/data/").text

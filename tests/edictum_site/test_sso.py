"""Sign-in with an identity provider: a real one on loopback, configured as acme."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry, Member, Project, User
from governance.people.commands.accounts import deactivate_account
from governance.people.commands.people import invite
from governance.people.commands.sign_ins import require_second_factor
from governance.people.providers import GroupRole
from tests import builders
from tests.builders import PASSWORD
from tests.edictum_site.factors import ADD_APP, add_app, code_of, recovery_codes
from tests.edictum_site.identity_provider import SIGN_IN, configure, know, running_provider, sign_in


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with running_provider() as url:
        yield url


@pytest.fixture(autouse=True)
def _fresh(settings, provider: str, db: None) -> None:
    cache.clear()
    configure(settings, provider)


def mapped(project: Project, **roles: Role) -> tuple[GroupRole, ...]:
    return tuple(
        GroupRole(group=group, project=project.slug, role=role) for group, role in roles.items()
    )


def role_of(project: Project, email: str) -> str | None:
    return Member.objects.filter(project=project, user__email=email).values_list(
        "role", flat=True
    ).first()  # fmt: skip


def is_in(client: Client, project: Project) -> bool:
    return client.get(f"/p/{project.slug}/settings/members/").status_code == 200


def test_a_member_can_sign_in_with_the_provider_by_verified_email(project, provider):
    member = builders.a_member(project, user=builders.a_user("ana@acme.test", password=PASSWORD))
    know(provider, "ana")
    client = Client()
    assert 'href="/account/sign-in/with/acme/"' in client.get("/account/sign-in/").text
    assert sign_in(client, "ana").headers["Location"] == "/"
    assert is_in(client, project)
    assert User.objects.get(pk=member.user_id).has_usable_password()
    entries = AuditEntry.objects.order_by("number")
    assert [each.action for each in entries] == ["identity linked", "signed in"]
    assert entries[1].details["with"] == ["acme"]


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_unverified_email_cannot_sign_in_to_an_account(project, provider, verified):
    builders.a_member(project, Role.ADMIN, user=builders.a_user("boss@acme.test"))
    know(provider, "mallory", email="boss@acme.test", email_verified=verified)
    client = Client()
    answer = sign_in(client, "mallory")
    assert answer.status_code == 403
    assert "Acme has not verified your email address." in answer.text
    assert not is_in(client, project)


def test_an_account_linked_to_one_identity_rejects_another_with_the_same_email(project, provider):
    builders.a_member(project, user=builders.a_user("shared@acme.test"))
    know(provider, "first", email="shared@acme.test")
    know(provider, "second", email="shared@acme.test")
    assert sign_in(Client(), "first").status_code == 302
    answer = sign_in(Client(), "second")
    assert (answer.status_code, "linked to another person" in answer.text) == (403, True)


def test_a_linked_identity_signs_in_after_its_email_changes(project, provider):
    member = builders.a_member(project, user=builders.a_user("old@acme.test"))
    know(provider, "renamed", email="old@acme.test")
    sign_in(Client(), "renamed")
    know(provider, "renamed", email="new@acme.test")
    client = Client()
    sign_in(client, "renamed")
    assert is_in(client, project)
    assert list(User.objects.values_list("pk", flat=True)) == [member.user_id]


def test_a_stranger_with_a_verified_email_gets_no_account(project, provider):
    know(provider, "stranger")
    answer = sign_in(Client(), "stranger")
    assert (answer.status_code, "Ask an admin for an invite" in answer.text) == (403, True)
    assert not User.objects.exists()


def test_an_invited_person_can_join_with_the_provider(settings, project, provider):
    configure(settings, provider, domains=frozenset({"acme.test"}))
    token = invite(project, email="new@acme.test", role=Role.EDITOR, by=CONSOLE)
    client, path = Client(), f"/join/{token}/"
    page = client.get(path).text
    assert "Password" not in page
    assert f'href="{SIGN_IN}?next={path}"' in page
    know(provider, "new", name="Nia New")
    assert sign_in(client, "new", start=f"{SIGN_IN}?next={path}").headers["Location"] == path
    client.post(f"{path}as-me/")
    assert role_of(project, "new@acme.test") == Role.EDITOR
    assert User.objects.get(email="new@acme.test").name == "Nia New"


def test_people_of_an_enforced_domain_can_sign_in_only_with_the_provider(
    settings, project, provider
):
    configure(settings, provider, domains=frozenset({"acme.test"}))
    builders.a_member(project, user=builders.a_user("ana@acme.test", password=PASSWORD))
    for email in ("ana@acme.test", "ANA@Acme.test", "unknown@acme.test"):
        client = Client()
        answer = client.post("/account/sign-in/", {"login": email, "password": PASSWORD})
        assert "Sign in with Acme." in answer.text
        assert not is_in(client, project)
    know(provider, "ana")
    assert sign_in(Client(), "ana").status_code == 302
    assert not User.objects.get(email="ana@acme.test").has_usable_password()


def test_people_of_other_domains_can_sign_in_with_a_password(settings, project, provider):
    configure(settings, provider, domains=frozenset({"acme.test"}))
    builders.a_member(project, user=builders.a_user("out@side.test", password=PASSWORD))
    answer = Client().post("/account/sign-in/", {"login": "out@side.test", "password": PASSWORD})
    assert answer.headers["Location"] == "/"


def test_groups_set_roles_at_each_sign_in(settings, project, provider):
    builders.a_member(project, Role.ADMIN)
    groups = mapped(project, readers=Role.VIEWER, writers=Role.EDITOR)
    configure(settings, provider, groups=groups)
    for theirs, role in (
        (["readers"], Role.VIEWER),
        (["writers", "readers"], Role.EDITOR),
        (["readers"], Role.VIEWER),
        ([], None),
    ):
        know(provider, "bo", groups=theirs)
        sign_in(Client(), "bo")
        assert role_of(project, "bo@acme.test") == role
    actions = AuditEntry.objects.order_by("number").values_list("action", flat=True)
    changes = [each for each in actions if each.startswith(("member", "role"))]
    assert changes == ["member added", "role changed", "role changed", "member removed"]
    assert verify(project) is None


def test_a_missing_groups_claim_rejects_the_sign_in_without_role_changes(
    settings, project, provider
):
    builders.a_member(project, Role.ADMIN)
    configure(settings, provider, groups=mapped(project, writers=Role.EDITOR))
    know(provider, "cy", groups=["writers"])
    sign_in(Client(), "cy")
    know(provider, "cy")
    client = Client()
    answer = sign_in(client, "cy")
    assert "sent no claim <code>groups</code>" in answer.text
    assert not is_in(client, project)
    assert role_of(project, "cy@acme.test") == Role.EDITOR


def test_groups_do_not_change_the_only_admin_or_other_projects(settings, project, provider):
    user = builders.a_user("boss@acme.test")
    other = builders.a_member(builders.a_project(), Role.OPERATOR, user=user).project
    builders.a_member(project, Role.ADMIN, user=user)
    configure(settings, provider, groups=mapped(project, writers=Role.EDITOR))
    know(provider, "boss", groups=[])
    sign_in(Client(), "boss")
    assert role_of(project, "boss@acme.test") == Role.ADMIN
    assert role_of(other, "boss@acme.test") == Role.OPERATOR


def test_a_deactivated_account_cannot_sign_in_with_the_provider(project, provider):
    builders.a_member(project, Role.ADMIN)
    member = builders.a_member(project, user=builders.a_user("left@acme.test"))
    know(provider, "left")
    sign_in(Client(), "left")
    deactivate_account(member.user, by=CONSOLE)
    client = Client()
    assert sign_in(client, "left").headers["Location"] == "/account/inactive/"
    assert not is_in(client, project)


def test_signing_in_with_the_provider_does_not_bypass_the_second_factor(project, provider):
    builders.a_member(project, user=builders.a_user("ana@acme.test", password=PASSWORD))
    browser = Client()
    browser.post("/account/sign-in/", {"login": "ana@acme.test", "password": PASSWORD})
    key = add_app(browser)
    know(provider, "ana")
    client = Client()
    answer = sign_in(client, "ana")
    assert answer.headers["Location"] == "/account/sign-in/second-factor/"
    assert not is_in(client, project)
    client.post(answer.headers["Location"], {"code": code_of(key, steps=1)})
    assert is_in(client, project)


@pytest.mark.parametrize(
    ("trusted", "methods", "enters"),
    [(True, ["pwd", "mfa"], True), (True, ["pwd"], False), (False, ["pwd", "mfa"], False)],
)
def test_the_providers_second_factor_counts_only_if_it_is_trusted(
    settings, project, provider, trusted, methods, enters
):
    builders.a_member(project, user=builders.a_user("ana@acme.test"))
    require_second_factor(project, required=True, by=CONSOLE)
    configure(settings, provider, proves_second_factor=trusted)
    know(provider, "ana", amr=methods)
    client = Client()
    sign_in(client, "ana")
    assert is_in(client, project) is enters


def test_a_person_without_a_password_gets_recovery_codes_after_adding_an_app(project, provider):
    builders.a_member(project, user=builders.a_user("ana@acme.test"))
    know(provider, "ana")
    client = Client()
    sign_in(client, "ana")
    match = re.search(r'id="factor-key">(\w+)<', client.get(ADD_APP).text)
    assert match is not None
    client.post(ADD_APP, {"code": code_of(match[1])})
    assert len(recovery_codes(client)) == 10


def test_session_length_follows_the_provider_setting(settings, project, provider):
    builders.a_member(project, user=builders.a_user("ana@acme.test"))
    configure(settings, provider, hours=2)
    know(provider, "ana")
    client = Client()
    sign_in(client, "ana")
    ends = client.session.get_expiry_date()
    assert timedelta(hours=1, minutes=59) < ends - timezone.now() < timedelta(hours=2)
    client.get(f"/p/{project.slug}/overview/")  # saves the session again
    assert client.session.get_expiry_date() == ends


def test_cross_site_sign_ins_and_stale_callbacks_are_rejected(project, provider):
    builders.a_member(project, user=builders.a_user("ana@acme.test"))
    foreign = Client().get(SIGN_IN, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.headers["Location"] == "/account/sign-in/"
    answer = Client().get(f"{SIGN_IN}done/?code=of-another-browser&state=unknown")
    assert answer.status_code == 401
    assert "Start again." in answer.text


def test_a_signed_in_person_cannot_link_another_identity(project, provider):
    member = builders.a_member(project, Role.ADMIN)
    browser = builders.signed_in(member.user)
    know(provider, "mallory")
    assert sign_in(browser, "mallory", start=f"{SIGN_IN}?process=connect").status_code == 403
    assert not is_in(Client(), project)


def test_signing_in_with_an_unreachable_or_unknown_provider_is_an_error(settings):
    configure(settings, "http://127.0.0.1:9")
    answer = Client().get(SIGN_IN)
    assert (answer.status_code, "Acme does not answer" in answer.text) == (502, True)
    assert Client().get("/account/sign-in/with/other/").status_code == 404

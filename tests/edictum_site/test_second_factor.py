"""Second factors: adding, signing in, requiring, removing, auditing and throttling."""

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from governance.audit_log import verify
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry, Member, Project
from governance.people.commands.sign_ins import require_second_factor
from tests import builders
from tests.builders import PASSWORD
from tests.edictum_site.factors import add_app, code_of, confirm, recovery_codes

SIGN_IN = "/account/sign-in/"
SECOND = "/account/sign-in/second-factor/"


@pytest.fixture(autouse=True)
def _nobody_was_throttled(db: None) -> None:
    cache.clear()


@pytest.fixture
def member(project: Project) -> Member:
    return builders.a_member(project, Role.ADMIN, user=builders.a_user(password=PASSWORD))


@pytest.fixture
def browser(member: Member) -> Client:
    """A browser signed in through the form."""
    client = Client()
    assert sign_in(client, member) == "/"
    return client


def sign_in(client: Client, member: Member) -> str:
    """Address that the sign-in form redirects to."""
    fields = {"login": member.user.email, "password": PASSWORD}
    return str(client.post(SIGN_IN, fields).headers["Location"])


def signed_out(client: Client) -> Client:
    client.post("/account/sign-out/")
    return client


def is_let_in(client: Client, project: Project) -> bool:
    return client.get(f"/p/{project.slug}/settings/members/").status_code == 200


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("number").values_list("action", flat=True))


def require(project: Project, *, required: bool = True) -> None:
    require_second_factor(project, required=required, by=CONSOLE)


def test_a_person_with_an_authenticator_app_signs_in_with_its_code(member, browser):
    key = add_app(browser)
    signed_out(browser)
    assert sign_in(browser, member) == SECOND
    assert not is_let_in(browser, member.project)
    assert "Wrong code" in browser.post(SECOND, {"code": "000000"}).text
    assert browser.post(SECOND, {"code": code_of(key, steps=1)}).headers["Location"] == "/"
    assert is_let_in(browser, member.project)


def test_an_authenticator_code_works_once(member, browser):
    key = add_app(browser)
    code = code_of(key, steps=1)
    sign_in(signed_out(browser), member)
    browser.post(SECOND, {"code": code})
    sign_in(signed_out(browser), member)
    assert "Wrong code" in browser.post(SECOND, {"code": code}).text


def test_recovery_codes_are_displayed_once_and_each_works_once(member, browser):
    add_app(browser)
    codes = recovery_codes(browser)
    assert len(set(codes)) == 10
    assert recovery_codes(browser) == []
    for expected in ("/", None):
        sign_in(signed_out(browser), member)
        assert browser.post(SECOND, {"code": codes[0]}).headers.get("Location") == expected


def test_new_recovery_codes_invalidate_the_old_ones(member, browser):
    add_app(browser)
    old = recovery_codes(browser)
    browser.post("/account/second-factor/recovery-codes/new/")
    new = recovery_codes(browser)
    assert len(new) == 10
    assert set(new).isdisjoint(old)
    sign_in(signed_out(browser), member)
    assert "Wrong code" in browser.post(SECOND, {"code": old[0]}).text


def test_code_attempts_are_throttled_per_person(member, browser):
    key = add_app(browser)
    sign_in(signed_out(browser), member)
    pages = [browser.post(SECOND, {"code": "000000"}).text for _ in range(6)]
    assert ["Too many attempts" in page for page in pages] == [False] * 5 + [True]
    elsewhere = Client(REMOTE_ADDR="127.0.2.9")
    sign_in(elsewhere, member)
    assert "Too many attempts" in elsewhere.post(SECOND, {"code": code_of(key, steps=1)}).text


def test_the_authenticator_key_is_stored_encrypted(browser):
    key = add_app(browser)
    stored = Authenticator.objects.get(type="totp").data["secret"]
    assert key not in stored
    assert Authenticator.objects.get(type="totp").wrap().validate_code(code_of(key, steps=1))


def test_changing_factors_requires_password_confirmation(browser):
    for path in ("app/", "passkeys/add/"):
        answer = browser.get(f"/account/second-factor/{path}")
        assert answer.headers["Location"].startswith("/account/confirm/?next=")
        assert browser.post(f"/account/second-factor/{path}", {"code": "1"}).status_code == 302
    wrong = browser.post("/account/confirm/", {"password": "not-the-password"})
    assert "Wrong password." in wrong.text
    assert not Authenticator.objects.exists()


def test_a_project_that_requires_a_factor_redirects_to_its_setup_page(member, browser):
    require(member.project)
    path = f"/p/{member.project.slug}/settings/members/"
    answer = browser.get(path)
    assert answer.headers["Location"].startswith("/account/second-factor/?next=")
    page = browser.get("/account/second-factor/").text
    assert f"{member.project.name} requires a second factor" in page
    assert "Settings" not in page  # no project navigation yet
    add_app(browser)
    assert f'href="{path}"' in browser.get("/account/second-factor/recovery-codes/").text
    assert is_let_in(browser, member.project)
    assert "Continue to" not in browser.get("/account/second-factor/").text


def test_no_page_fragment_or_api_is_accessible_without_the_required_factor(member, browser):
    require(member.project)
    fragment = browser.get(f"/p/{member.project.slug}/overview/", headers={"HX-Request": "true"})
    assert fragment.headers["HX-Redirect"].startswith("/account/second-factor/")
    browser.get(SIGN_IN)
    answer = browser.get(f"/v1/keys?project={member.project.slug}")
    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor")
    changed = browser.post(f"/p/{member.project.slug}/settings/name/", {"name": "Mine"})
    assert changed.headers["Location"].startswith("/account/second-factor/")
    assert Project.objects.get(pk=member.project_id).name == member.project.name


def test_an_older_session_must_confirm_the_factor_first(member, browser):
    other = Client()
    sign_in(other, member)
    key = add_app(browser)
    require(member.project)
    path = f"/p/{member.project.slug}/settings/members/"
    led = other.get(path).headers["Location"]
    assert led.startswith("/account/confirm/code/?next=")
    assert other.post(led, {"code": code_of(key, steps=1)}).headers["Location"] == path
    assert is_let_in(other, member.project)


def test_removing_a_required_factor_ends_access_to_the_project(member, browser):
    add_app(browser)
    require(member.project)
    assert is_let_in(browser, member.project)
    assert browser.post("/account/second-factor/app/remove/").status_code == 302
    assert not is_let_in(browser, member.project)


def test_another_project_and_api_keys_are_not_affected(member, browser):
    require(member.project)
    other = builders.a_member(builders.a_project(), user=member.user).project
    assert is_let_in(browser, other)
    key = builders.bearing(builders.a_key(member.project, "manage")[0])
    assert key.get("/v1/keys").status_code == 200


def test_only_an_admin_can_require_a_second_factor(member, browser, client_as):
    editor = client_as(Role.EDITOR)
    path = reverse("governance:second_factor", args=[member.project.slug])
    assert editor.post(path, {"required": "on"}).status_code == 403
    assert "2 of 2 members have no second factor" in browser.get(path).text
    browser.post(path, {"required": "on"})
    assert Project.objects.get(pk=member.project_id).second_factor
    assert actions()[-1] == "second factor required"


def test_factor_changes_and_sign_in_failures_are_audited_with_their_origin(member, browser):
    key = add_app(browser)
    sign_in(signed_out(browser), member)
    browser.post(SECOND, {"code": "000000"}, headers={"User-Agent": "Browser 1"})
    failed = AuditEntry.objects.first()
    assert failed is not None
    assert failed.details == {"factor": "authenticator app"}
    assert (failed.address, failed.user_agent) == ("127.0.0.1", "Browser 1")
    browser.post(SECOND, {"code": code_of(key, steps=1)})
    confirm(browser, "/account/second-factor/app/remove/")
    browser.post("/account/second-factor/app/remove/")
    Client().post(SIGN_IN, {"login": member.user.email, "password": "not-the-password"})
    assert actions() == [
        "signed in",
        "second factor added",
        "second factor added",
        "signed out",
        "second factor failed",
        "signed in",
        "second factor removed",
        "second factor removed",
        "sign-in failed",
    ]
    second = AuditEntry.objects.filter(action="signed in").order_by("number").last()
    assert second is not None
    assert second.details["with"] == ["password", "authenticator app"]
    assert verify(member.project) is None


def test_an_admin_can_remove_the_factors_of_a_member(project, member, browser):
    add_app(browser)
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    answer = admin.post(reverse("governance:member_factors", args=[project.slug, member.pk]))
    assert answer.status_code == 302
    assert sign_in(signed_out(browser), member) == "/"
    assert "second factors removed" in actions()


def test_an_admin_of_only_one_of_their_projects_cannot_remove_factors(project, member, browser):
    add_app(browser)
    builders.a_member(builders.a_project(), user=member.user)
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    answer = admin.post(reverse("governance:member_factors", args=[project.slug, member.pk]))
    assert answer.status_code == 409
    assert Authenticator.objects.filter(type="totp").exists()
    call_command("account", "remove-second-factors", member.user.email)
    assert not Authenticator.objects.exists()

"""Setup, sign-in, invitations and error pages."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from edictum_site.errors import failed
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import Member
from governance.people.commands.people import invite, new_set_up_link
from tests import builders
from tests.builders import PASSWORD


@pytest.fixture(autouse=True)
def _nobody_was_throttled(db):
    cache.clear()


@pytest.fixture
def visitor() -> Client:
    return Client()


def set_up_path(project):
    return reverse("governance:set_up", args=[new_set_up_link(project)])


def join_path(project, email: str, role: Role = Role.EDITOR):
    return reverse("governance:join", args=[invite(project, email=email, role=role, by=CONSOLE)])


def sign_in(client: Client, email: str, password: str = PASSWORD, after: str = ""):
    path = reverse("account_login") + (f"?next={after}" if after else "")
    return client.post(
        path, {"login": email, "password": password} | ({"next": after} if after else {})
    )


def test_before_setup_the_first_page_says_where_the_link_is_printed(project, visitor):
    page = visitor.get("/")
    assert page.status_code == 200
    assert "printed in the terminal" in page.text
    assert "setup_link" in page.text


def test_setup_creates_the_admin_and_redirects_to_the_start_page(project, visitor):
    path = set_up_path(project)
    assert "Set up this console" in visitor.get(path).text
    answer = visitor.post(path, {"email": "first@example.test", "password": PASSWORD})
    assert answer["Location"] == "/"
    assert visitor.get("/")["Location"] == reverse("first_hour:start", args=[project.slug])
    assert Member.objects.get().role == Role.ADMIN
    assert visitor.get(path).status_code == 410
    assert Client().post(path, {}).status_code == 410


def test_a_weak_password_is_reported_at_its_field(project, visitor):
    page = visitor.post(set_up_path(project), {"email": "a@example.test", "password": "short"})
    assert page.status_code == 422
    assert "too short" in page.text
    assert 'value="short"' not in page.text


def test_the_first_page_after_setup_redirects_to_sign_in(project, visitor):
    builders.a_member(project, Role.ADMIN)
    assert visitor.get("/")["Location"] == reverse("account_login")


def test_sign_in_redirects_to_the_requested_page(project, visitor):
    member = builders.a_member(project, user=builders.a_user("a@example.test", password=PASSWORD))
    keys = reverse("governance:keys", args=[project.slug])
    redirected = visitor.get(keys)["Location"]
    assert redirected == f"{reverse('account_login')}?next={keys}"
    assert sign_in(visitor, "A@example.test", after=keys)["Location"] == keys
    assert member.user.email in visitor.get(keys).text


def test_sign_in_does_not_redirect_to_another_site(project, visitor):
    builders.a_member(project, user=builders.a_user("a@example.test", password=PASSWORD))
    assert sign_in(visitor, "a@example.test", after="https://evil.example/")["Location"] == "/"


@pytest.mark.parametrize("email", ["a@example.test", "nobody@example.test"])
def test_a_wrong_password_and_an_unknown_email_get_the_same_message(project, visitor, email):
    builders.a_user("a@example.test", password=PASSWORD)
    page = sign_in(visitor, email, "not-the-password")
    assert page.status_code == 200
    assert "Wrong email or password." in page.text


def test_an_inactive_user_cannot_sign_in(project, visitor):
    user = builders.a_user("a@example.test", password=PASSWORD)
    user.is_active = False
    user.save()
    sign_in(visitor, "a@example.test")
    assert "_auth_user_id" not in visitor.session


def test_sign_up_and_unconfigured_password_reset_are_404(visitor):
    for path in ("signup/", "sign-up/", "password/reset/", "email/"):
        assert visitor.get(f"/account/{path}").status_code == 404


def test_sign_out_requires_a_post_and_ends_the_session(admin_client):
    assert "Sign out?" in admin_client.get(reverse("account_logout")).text
    admin_client.post(reverse("account_logout"))
    assert admin_client.get("/")["Location"] == reverse("account_login")


def test_changing_a_password_requires_the_current_one(project, visitor):
    user = builders.a_user("a@example.test", password=PASSWORD)
    builders.a_member(project, user=user)
    visitor.force_login(user)
    path, new = reverse("account_change_password"), "another-quiet-river"
    assert "Current password" in visitor.get(path).text
    wrong = {"oldpassword": "x", "password1": new, "password2": new}
    assert "Wrong current password" in visitor.post(path, wrong).text
    page = visitor.post(path, wrong | {"oldpassword": PASSWORD}, follow=True)
    assert "Password changed." in page.text
    user.refresh_from_db()
    assert user.check_password(new)


def test_an_invited_person_sets_a_password_and_is_signed_in(project, visitor):
    path = join_path(project, "new@example.test")
    assert "Invited as editor: new@example.test" in visitor.get(path).text
    assert visitor.post(path, {"password": "short"}).status_code == 422
    answer = visitor.post(path, {"password": PASSWORD})
    assert answer["Location"] == reverse("outcomes:overview", args=[project.slug])
    assert visitor.get(path).status_code == 410


def test_an_existing_user_signs_in_and_joins(project, visitor):
    known = builders.a_user("known@example.test", password=PASSWORD)
    path = join_path(project, known.email)
    assert f"next={path}" in visitor.get(path).text
    assert sign_in(visitor, known.email, after=path)["Location"] == path
    assert "as-me" in visitor.get(path).text
    visitor.post(f"{path}as-me/")
    assert Member.objects.get(user=known).project == project


def test_an_invitation_cannot_be_accepted_by_another_signed_in_user(project, admin_client):
    known = builders.a_user("known@example.test")
    path = join_path(project, known.email)
    assert "Sign out, open this link again" in admin_client.get(path).text
    assert admin_client.post(f"{path}as-me/").status_code == 404
    assert Client().post(f"{path}as-me/")["Location"] == path
    assert not Member.objects.filter(user=known).exists()


def test_a_user_without_a_project_gets_an_explanation(db, visitor):
    visitor.force_login(builders.a_user())
    assert "You aren't in any project" in visitor.get("/", follow=True).text
    assert visitor.get(reverse("governance:new_project")).status_code == 403


def test_the_first_page_is_the_last_used_project(project):
    member = builders.a_member(project)
    other = builders.a_member(builders.a_project(), user=member.user).project
    client = builders.signed_in(member.user)
    for last in (project, other):
        builders.a_key(last, last_used_at=timezone.now())
        client.get(reverse("governance:settings", args=[last.slug]))
        assert client.get("/")["Location"] == reverse("outcomes:overview", args=[last.slug])


def test_the_first_page_of_a_project_without_traffic_is_its_start(project):
    client = builders.signed_in(builders.a_member(project).user)
    builders.a_key(project)
    assert client.get("/")["Location"] == reverse("first_hour:start", args=[project.slug])


def test_an_unknown_page_has_a_404_page(visitor):
    page = visitor.get("/q/nothing/")
    assert page.status_code == 404
    assert "Page not found" in page.text


def test_a_form_without_a_csrf_token_gets_a_403_page(db):
    page = Client(enforce_csrf_checks=True).post(reverse("account_login"), {})
    assert page.status_code == 403
    assert "This form expired" in page.text


def test_a_server_error_has_a_standalone_page(rf):
    page = failed(rf.get("/p/default/sessions/"))
    assert page.status_code == 500
    assert b"The server hit an error" in page.content
    assert failed(rf.get("/v1/outcomes"))["Content-Type"] == "application/json"


def test_pages_have_a_content_security_policy_and_no_inline_code(admin_client, project):
    for name in ("settings", "keys", "new_key", "members", "invite", "audit"):
        page = admin_client.get(reverse(f"governance:{name}", args=[project.slug]))
        assert "script-src 'self'" in page["Content-Security-Policy"]
        assert "style=" not in page.text
        assert "<script>" not in page.text

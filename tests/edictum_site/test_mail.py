"""Passwords and invitations by mail if it is configured, otherwise by a link from an admin."""

import re
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from edictum_site.accounts.mail_settings import env_mail
from edictum_site.env import SettingInvalid
from governance.core.roles import Role
from governance.models import AuditEntry, Member, Project
from tests import builders
from tests.builders import PASSWORD
from tests.edictum_site.factors import add_app
from tests.edictum_site.identity_provider import configure

FORGOTTEN = "/account/password/forgotten/"
NEW = "another-quiet-river-7"
SITE = "https://console.example"


@pytest.fixture(autouse=True)
def _nobody_was_throttled(db: None) -> None:
    cache.clear()


@pytest.fixture
def member(project: Project) -> Member:
    user = builders.a_user("ana@example.test", password=PASSWORD)
    return builders.a_member(project, user=user)


@pytest.fixture
def with_mail(settings) -> None:
    settings.SENDS_MAIL, settings.SITE_URL = True, SITE


def link_in(text: str) -> str:
    match = re.search(rf"{SITE}(\S+)", text)
    assert match is not None
    return match[1]


def choose(link: str, password: str = NEW) -> str:
    """Page after choosing a new password through this link."""
    client = Client()
    form = client.get(link).headers.get("Location")
    if form is None:
        return client.get(link).text
    fields = {"password1": password, "password2": password}
    answer = client.post(form, fields)
    return answer.text or answer.headers["Location"]


def sign_in(password: str, client: Client | None = None) -> bool:
    fields = {"login": "ana@example.test", "password": password}
    return (client or Client()).post("/account/sign-in/", fields).status_code == 302


def test_a_password_reset_link_works_once(with_mail, member):
    browser = Client()
    sign_in(PASSWORD, browser)
    Client().post(FORGOTTEN, {"email": "Ana@Example.test"})
    [letter] = mail.outbox
    assert letter.to == ["ana@example.test"]
    link = link_in(str(letter.body))
    assert choose(link) == "/account/password/changed/"
    assert sign_in(NEW)
    assert not sign_in(PASSWORD)
    assert browser.get("/account/profile/").status_code == 302  # signed out
    assert "This link has expired" in choose(link)
    assert AuditEntry.objects.filter(action="password changed").count() == 1


def test_a_weak_new_password_is_rejected(with_mail, member):
    Client().post(FORGOTTEN, {"email": "ana@example.test"})
    page = choose(link_in(str(mail.outbox[0].body)), "short")
    assert "too short" in page
    assert sign_in(PASSWORD)


def test_a_password_reset_does_not_reveal_which_addresses_have_an_account(with_mail, member):
    answers = [
        Client().post(FORGOTTEN, {"email": email}, follow=True).text
        for email in ("ana@example.test", "unknown@example.test")
    ]
    assert answers[0] == answers[1]
    assert [each.to for each in mail.outbox] == [["ana@example.test"]]


def test_password_reset_requests_are_throttled(with_mail, member):
    statuses = [
        Client().post(FORGOTTEN, {"email": "ana@example.test"}).status_code for _ in range(6)
    ]
    assert statuses == [302] * 5 + [429]


def test_a_password_reset_does_not_bypass_the_second_factor(with_mail, member):
    browser = Client()
    sign_in(PASSWORD, browser)
    add_app(browser)
    Client().post(FORGOTTEN, {"email": "ana@example.test"})
    choose(link_in(str(mail.outbox[0].body)))
    client = Client()
    sign_in(NEW, client)
    assert client.get("/account/profile/").status_code == 302


def test_people_of_an_identity_provider_get_no_password_reset_link(with_mail, settings, member):
    configure(settings, "http://127.0.0.1:9", domains=frozenset({"example.test"}))
    assert "Sign in with Acme." in Client().post(FORGOTTEN, {"email": "ana@example.test"}).text
    assert mail.outbox == []


def test_an_invitation_is_sent_by_mail(with_mail, project, admin_client):
    path = reverse("governance:invite", args=[project.slug])
    page = admin_client.post(path, {"email": "new@example.test", "role": "editor"}, follow=True)
    assert "Invitation sent to new@example.test." in page.text
    [letter] = mail.outbox
    assert f"Invitation to {project.name}" in letter.subject
    Client().post(link_in(str(letter.body)), {"password": PASSWORD})
    assert Member.objects.get(user__email="new@example.test").role == Role.EDITOR


def test_an_invitation_that_cannot_be_sent_is_displayed_as_a_link(
    with_mail, settings, project, admin_client
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    path = reverse("governance:invite", args=[project.slug])
    page = admin_client.post(path, {"email": "new@example.test", "role": "editor"}, follow=True)
    assert "The mail could not be sent. Share the link yourself." in page.text
    assert f"{SITE}/join/" in page.text


def test_without_mail_an_admin_creates_the_link(settings, project, member):
    settings.SITE_URL = SITE
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    assert "Ask an admin" in Client().get(FORGOTTEN).text
    path = reverse("governance:password_link", args=[project.slug, member.pk])
    page = admin.post(path, follow=True).text
    link = link_in(page.replace("<", " "))
    assert link not in admin.get(path).text  # displayed once
    assert choose(link) == "/account/password/changed/"
    assert sign_in(NEW)
    actions = AuditEntry.objects.order_by("number").values_list("action", flat=True)
    assert list(actions)[:2] == ["password link created", "password changed"]


def test_an_admin_of_only_one_of_their_projects_cannot_create_a_password_link(project, member):
    builders.a_member(builders.a_project(), user=member.user)
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    path = reverse("governance:password_link", args=[project.slug, member.pk])
    assert admin.post(path).status_code == 409
    admin.cookies["shown_once"] = "not/a-link"
    assert "Create a password link" in admin.get(path).text


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "ssl"),
    [
        ("smtp://mail.example", "mail.example", 25, False, False),
        ("smtp+starttls://me:a%40b@mail.example", "mail.example", 587, True, False),
        ("smtps://mail.example:2465", "mail.example", 2465, False, True),
    ],
)
def test_the_mail_server_is_configured_by_url(monkeypatch, url, host, port, tls, ssl):
    monkeypatch.setenv("EMAIL_URL", url)
    values = env_mail(SITE)
    names = ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_USE_SSL")
    assert [values[name] for name in names] == [host, port, tls, ssl]
    assert values["EMAIL_HOST_PASSWORD"] == ("a@b" if urlsplit(url).password else "")
    assert values["DEFAULT_FROM_EMAIL"] == "Edictum Site <edictum-site@console.example>"


@pytest.mark.parametrize("url", ["mail.example", "http://mail.example", "smtp://", "smtp://a:b:c"])
def test_an_invalid_mail_server_url_is_rejected(monkeypatch, url):
    monkeypatch.setenv("EMAIL_URL", url)
    with pytest.raises(SettingInvalid, match="EMAIL_URL"):
        env_mail(SITE)


def test_mail_requires_a_configured_console_address(monkeypatch):
    monkeypatch.setenv("EMAIL_URL", "smtp://mail.example")
    with pytest.raises(SettingInvalid, match="EDICTUM_SITE_URL"):
        env_mail("")

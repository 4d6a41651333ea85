"""Host names that the console accepts, and the address in its links."""

import html

import pytest
from django.conf import settings as present
from django.test import Client
from django.urls import reverse

from tests import builders
from tests.builders import PASSWORD

EVIL = {"Host": "evil.example"}


def text_of(response) -> str:
    assert response.status_code == 400
    return html.unescape(response.text)


def test_without_settings_only_localhost_is_allowed():
    assert set(present.ALLOWED_HOSTS) == {"localhost", "127.0.0.1", "[::1]", "testserver"}


@pytest.mark.parametrize("page", ["/", "/account/sign-in/", "/no-such-page/"])
def test_a_page_at_an_unknown_host_names_the_settings(db, page):
    result = text_of(Client(headers=EVIL).get(page))
    assert "does not accept the host name 'evil.example'" in result
    assert "EDICTUM_SITE_URL" in result
    assert "EDICTUM_SITE_HOSTS" in result


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_the_api_rejects_an_unknown_host_as_json(project, prefix):
    client = builders.bearing(builders.a_key(project, "agent")[0], **EVIL)
    for answer in (
        client.get(f"{prefix}/health/live"),
        client.post(f"{prefix}/outcomes", {"outcomes": []}, content_type="application/json"),
        client.get(f"{prefix}/sessions/k"),
    ):
        assert answer.status_code == 400
        assert answer.json()["code"] == "unknown_host"
        assert "EDICTUM_SITE_HOSTS" in answer.json()["detail"]


def test_a_configured_host_is_allowed(db, settings):
    settings.ALLOWED_HOSTS = ["console.example"]
    client = Client(headers={"Host": "console.example"})
    assert client.get(reverse("account_login")).status_code == 200


def test_sign_in_does_not_redirect_to_another_host(project):
    builders.a_member(project, user=builders.a_user("a@example.test", password=PASSWORD))
    body = {"login": "a@example.test", "password": PASSWORD, "next": "https://evil.example/x"}
    assert "Location" not in Client(headers=EVIL).post(reverse("account_login"), body).headers


def test_an_invitation_link_uses_the_configured_address(project, admin_client, settings):
    settings.SITE_URL = "https://console.example"
    page = reverse("governance:invite", args=[project.slug])
    text = admin_client.post(
        page, {"email": "new@example.test", "role": "viewer"}, follow=True
    ).text
    assert "https://console.example/join/" in text
    assert "http://testserver/join/" not in text


def test_without_a_configured_address_the_link_uses_the_request_host(project, admin_client):
    page = reverse("governance:invite", args=[project.slug])
    text = admin_client.post(
        page, {"email": "new@example.test", "role": "viewer"}, follow=True
    ).text
    assert "http://testserver/join/" in text


def test_sample_code_uses_the_configured_address(project, admin_client, settings):
    settings.SITE_URL = "https://console.example"
    text = admin_client.get(reverse("first_hour:start", args=[project.slug])).text
    assert "https://console.example" in text
    assert "http://testserver/v1" not in text

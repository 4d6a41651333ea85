"""Response headers of every page."""

import gzip

from django.test import Client
from django.urls import reverse

HTTPS = {"X-Forwarded-Proto": "https"}


def test_pages_have_restrictive_security_headers(db):
    headers = Client().get("/account/sign-in/").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'self'; script-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"


def test_https_responses_have_strict_transport_security(db, settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    text = "Strict-Transport-Security"
    assert Client().get("/account/sign-in/", headers=HTTPS)[text] == "max-age=31536000"
    assert text not in Client().get("/account/sign-in/").headers


def test_pages_are_compressed_and_files_are_not(project, admin_client):
    page = reverse("outcomes:overview", args=[project.slug])
    plain = admin_client.get(page)
    packed = admin_client.get(page, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert b"<h1" in gzip.decompress(packed.content)
    assert "Accept-Encoding" in packed.headers["Vary"]
    table = reverse("outcomes:sessions", args=[project.slug])
    fields = {"format": "csv"}
    assert "Content-Encoding" not in admin_client.get(
        table, fields, headers={"Accept-Encoding": "gzip"}
    )


def test_a_page_uses_the_theme_cookie(db):
    client = Client()
    address = reverse("account_login")
    assert "data-theme" not in client.get(address).text
    client.cookies["theme"] = "dark"
    assert '<html lang="en" data-theme="dark">' in client.get(address).text
    client.cookies["theme"] = '"><script>'
    assert "data-theme" not in client.get(address).text

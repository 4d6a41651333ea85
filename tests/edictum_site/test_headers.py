"""What every page tells the browser that shows it."""

from django.test import Client

HTTPS = {"X-Forwarded-Proto": "https"}


def test_a_page_forbids_what_it_does_not_need(db):
    headers = Client().get("/account/sign-in/").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'self'; script-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"


def test_behind_https_a_browser_is_told_to_stay_there(db, settings):
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    told = "Strict-Transport-Security"
    assert Client().get("/account/sign-in/", headers=HTTPS)[told] == "max-age=31536000"
    assert told not in Client().get("/account/sign-in/").headers

"""Limits on failed sign-ins by account and address, without blocking other people."""

import re

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests import builders
from tests.builders import PASSWORD

WRONG = "not-the-password"
EMAIL = "a@example.test"


@pytest.fixture(autouse=True)
def _nobody_was_throttled(db):
    cache.clear()


@pytest.fixture(autouse=True)
def account(project):
    return builders.a_member(project, user=builders.a_user(EMAIL, password=PASSWORD))


def at(address: str, **headers: str) -> Client:
    return Client(REMOTE_ADDR=address, headers=headers)


def sign_in(client: Client, email: str = EMAIL, password: str = PASSWORD) -> str:
    """Error message of a sign-in; empty if it succeeded."""
    answer = client.post(reverse("account_login"), {"login": email, "password": password})
    if answer.status_code == 302:
        return ""
    match = re.search(r"Too many attempts[^<]*|Wrong email or password\.", answer.text)
    return match[0] if match else answer.text


def tries(client: Client, number: int, email: str = EMAIL) -> list[str]:
    return [sign_in(client, email, WRONG) for _ in range(number)]


def test_the_sixth_attempt_is_rejected_with_a_retry_time():
    guessing = at("127.0.2.1")
    assert set(tries(guessing, 5)) == {"Wrong email or password."}
    assert sign_in(guessing) == "Too many attempts. Try again in 5 minutes."


def test_another_host_name_does_not_reset_the_limit(settings):
    settings.ALLOWED_HOSTS = ["*"]
    for number in range(5):
        tries(at("127.0.2.1", host=f"console-{number}.example"), 1)
    assert "Too many attempts" in sign_in(at("127.0.2.1", host="console-9.example"))


def test_another_spelling_of_the_email_does_not_reset_the_limit():
    tries(at("127.0.2.1"), 5)
    assert "Too many attempts" in sign_in(at("127.0.2.1"), EMAIL.upper())


def test_failures_from_another_address_do_not_block_a_sign_in():
    tries(at("127.0.2.1"), 6)
    assert sign_in(at("127.0.2.2")) == ""


def test_one_address_has_ten_failed_sign_ins_a_minute_over_all_accounts():
    guessing = at("127.0.2.1")
    items = [sign_in(guessing, f"{number}@example.test", WRONG) for number in range(11)]
    assert "Too many attempts. Try again in 1 minute." in items[10]
    assert not any("Too many attempts" in each for each in items[:10])


def test_a_browser_that_signed_in_before_is_not_blocked_by_its_address():
    known = at("127.0.2.1")
    assert sign_in(known) == ""
    known.post(reverse("account_logout"))
    stranger = at("127.0.2.1")
    tries(stranger, 6)
    for number in range(5):
        tries(stranger, 1, f"{number}@example.test")
    assert "Too many attempts" in sign_in(at("127.0.2.1"))
    assert sign_in(known) == ""


def test_a_recognized_browser_is_also_limited():
    known = at("127.0.2.1")
    sign_in(known)
    known.post(reverse("account_logout"))
    tries(known, 5)
    assert "Too many attempts" in sign_in(known)


def test_a_browser_is_recognized_only_for_the_account_it_signed_in_to(project):
    builders.a_member(project, user=builders.a_user("b@example.test", password=PASSWORD))
    known = at("127.0.2.1")
    sign_in(known, "b@example.test")
    known.post(reverse("account_logout"))
    tries(at("127.0.2.1"), 5)
    assert "Too many attempts" in sign_in(known)


def test_successful_sign_ins_do_not_count_toward_the_limit():
    for _ in range(40):
        browser = at("127.0.2.1")
        assert sign_in(browser) == ""

"""How often a sign-in may fail, from where, and who is not kept out by it."""

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
    """Empty when it succeeded, else what the page says."""
    answer = client.post(reverse("account_login"), {"login": email, "password": password})
    if answer.status_code == 302:
        return ""
    match = re.search(r"Too many attempts[^<]*|Wrong email or password\.", answer.text)
    return match[0] if match else answer.text


def tries(client: Client, number: int, email: str = EMAIL) -> list[str]:
    return [sign_in(client, email, WRONG) for _ in range(number)]


def test_the_sixth_try_is_rejected_with_the_time_of_the_next():
    guessing = at("127.0.2.1")
    assert set(tries(guessing, 5)) == {"Wrong email or password."}
    assert sign_in(guessing) == "Too many attempts. Try again in 5 minutes."


def test_another_host_name_gives_no_more_tries(settings):
    settings.ALLOWED_HOSTS = ["*"]
    for number in range(5):
        tries(at("127.0.2.1", host=f"console-{number}.example"), 1)
    assert "Too many attempts" in sign_in(at("127.0.2.1", host="console-9.example"))


def test_another_spelling_of_the_account_gives_no_more_tries():
    tries(at("127.0.2.1"), 5)
    assert "Too many attempts" in sign_in(at("127.0.2.1"), EMAIL.upper())


def test_a_stranger_elsewhere_keeps_nobody_out():
    tries(at("127.0.2.1"), 6)
    assert sign_in(at("127.0.2.2")) == ""


def test_one_address_guesses_at_many_accounts_ten_times_a_minute():
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


def test_a_known_browser_has_no_endless_tries_either():
    known = at("127.0.2.1")
    sign_in(known)
    known.post(reverse("account_logout"))
    tries(known, 5)
    assert "Too many attempts" in sign_in(known)


def test_a_browser_is_known_for_the_account_that_it_signed_in_to(project):
    builders.a_member(project, user=builders.a_user("b@example.test", password=PASSWORD))
    known = at("127.0.2.1")
    sign_in(known, "b@example.test")
    known.post(reverse("account_logout"))
    tries(at("127.0.2.1"), 5)
    assert "Too many attempts" in sign_in(known)


def test_successful_sign_ins_are_not_counted():
    for _ in range(40):
        browser = at("127.0.2.1")
        assert sign_in(browser) == ""

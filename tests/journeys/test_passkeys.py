"""A person adds a passkey, signs in with it alone, and uses it as the second factor."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.journeys.console import PASSWORD

EMAIL = "passkey@example.test"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
}


def with_authenticator(page: Page) -> None:
    """A virtual authenticator of Chromium, which confirms whatever a page requests."""
    chromium = page.context.new_cdp_session(page)
    chromium.send("WebAuthn.enable")
    options: Any = {"options": AUTHENTICATOR | {"automaticPresenceSimulation": True}}
    chromium.send("WebAuthn.addVirtualAuthenticator", options)


def invited(admin: Page, url: str, email: str) -> str:
    """Path of a new invitation's link."""
    admin.goto(f"{url}/p/default/settings/members/invite/")
    admin.get_by_label("Email").fill(email)
    admin.get_by_role("button", name="Create link").click()
    return admin.locator("#invitation").inner_text().removeprefix(url)


def sign_out(page: Page, url: str) -> None:
    page.goto(f"{url}/account/sign-out/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url(re.compile("/account/sign-in/"))


def test_a_passkey_works_with_and_without_the_password(console, admin, open_page):
    url = console.url.replace("127.0.0.1", "localhost")  # a passkey needs a host with a name
    page = open_page()
    with_authenticator(page)
    page.goto(url + invited(admin, console.url, EMAIL))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(re.compile("/p/default/"))

    page.goto(f"{url}/account/second-factor/passkeys/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name", exact=True).fill("My laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Copy the recovery codes now")
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("row", name="My laptop")).to_contain_text("signs in alone")

    sign_out(page, url)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(re.compile("/p/default/"))

    sign_out(page, url)
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(re.compile("/p/default/"))

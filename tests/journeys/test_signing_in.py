"""Signing in through the form, and setting up the first account with the link from the terminal."""

import re

from playwright.sync_api import expect

from tests.journeys.conftest import sign_in
from tests.journeys.console import EMAIL, PASSWORD


def test_a_member_can_sign_in_and_out(console, page):
    sign_in(page, console.url)
    page.wait_for_url(re.compile("/p/default/"))
    page.get_by_role("button", name="Account").or_(page.get_by_label("Account")).first.click()
    page.get_by_text("Sign out").first.click()
    page.wait_for_url(re.compile("/account/sign-(out|in)/"))
    if page.url.endswith("/account/sign-out/"):
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(re.compile("/account/sign-in/"))
    page.goto(f"{console.url}/p/default/sessions/")
    expect(page).to_have_url(re.compile("/account/sign-in/"))


def test_a_wrong_password_is_rejected(console, page):
    sign_in(page, console.url, password="not-the-password")
    expect(page.get_by_text("Wrong email or password.")).to_be_visible()
    page.goto(f"{console.url}/p/default/sessions/")
    expect(page).to_have_url(re.compile("/account/sign-in/"))


def test_the_first_person_creates_an_account_with_the_link_from_the_terminal(new_console, page):
    link = re.search(r"http://\S+/\S+", new_console.product.output.split("works once, ")[1])
    assert link is not None
    page.goto(link[0])
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url(re.compile("/p/default/"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    again = page.context.request.get(link[0])
    assert again.status in {404, 409, 410}
    assert "Create account" not in again.text()

"""From an empty console to single sign-on with a required second factor, as described in
docs/people.md."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from edictum_site.stack.running import Product
from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.edictum_site.factors import code_of
from tests.edictum_site.identity_provider import know, running_provider
from tests.journeys.console import EMAIL, PASSWORD


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with running_provider() as url:
        yield url


@pytest.fixture
def product(provider: str, tmp_path: Path) -> Iterator[Product]:
    variables = {
        "EDICTUM_SITE_OIDC": "acme",
        "EDICTUM_SITE_OIDC_ACME_NAME": "Acme",
        "EDICTUM_SITE_OIDC_ACME_URL": provider,
        "EDICTUM_SITE_OIDC_ACME_CLIENT_ID": "edictum",
        "EDICTUM_SITE_OIDC_ACME_CLIENT_SECRET": "secret",
        "EDICTUM_SITE_OIDC_ACME_DOMAINS": "acme.example",
        "EDICTUM_SITE_OIDC_ACME_GROUPS": "agents-team=default:editor",
    }
    with own_database() as store, running(tmp_path / "new", variables | store) as started:
        yield started


def add_app(page: Page, *, has_password: bool) -> None:
    """Add an authenticator app and continue to the project that required it."""
    page.get_by_role("link", name="Add app").click()
    if has_password:
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
    key = page.locator("#factor-key").inner_text()
    page.get_by_label("Code that the app shows").fill(code_of(key))
    page.get_by_role("button", name="Add app").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Copy the recovery codes now")
    page.get_by_role("link", name="Continue to").click()


def test_a_company_sets_up_single_sign_on_with_a_second_factor(product, provider, open_page):
    url = product.url
    link = re.search(r"http://\S+/\S+", product.output.split("works once, ")[1])
    assert link is not None
    page = open_page()
    page.goto(link[0])
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url(re.compile("/p/default/"))
    page.goto(f"{url}/p/default/settings/members/")
    page.get_by_role("link", name="Second factor…").click()
    page.get_by_label("Require a second factor").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("requires a second factor")
    add_app(page, has_password=True)
    expect(page.get_by_text("Second factor required")).to_be_visible()

    know(provider, "ana", email="ana@acme.example", name="Ana Acme", groups=["agents-team"])
    person = open_page()
    # The provider's style sheet is on another host.
    person.context.route(re.compile("^https://"), lambda route: route.fulfill(body=""))
    person.goto(f"{url}/p/default/settings/members/")
    person.get_by_label("Email").fill("ana@acme.example")
    person.get_by_label("Password").fill(PASSWORD)
    person.get_by_role("button", name="Sign in").click()
    expect(person.get_by_role("alert")).to_contain_text("Sign in with Acme.")
    person.get_by_role("link", name="Sign in with Acme").click()
    person.get_by_placeholder("sub").fill("ana")
    person.get_by_role("button", name="Authorize", exact=True).click()
    person.wait_for_url(re.compile("/account/second-factor/"))
    expect(person.get_by_role("heading", level=1)).to_contain_text("requires a second factor")
    add_app(person, has_password=False)
    row = person.get_by_role("row", name=re.compile("ana@acme.example"))
    expect(row).to_contain_text("editor")

"""Headlines of the demo's pages: at most 90 characters, no semicolon, no final period."""

import html
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from edictum_site.stack.running import product
from tests.databases import own_database
from tests.journeys.conftest import sign_in
from tests.journeys.console import VARIABLES
from tests.pictures.demo_addresses import DemoAddresses, pages_of

LONGEST = 90  # characters
BEHIND = 120_000  # milliseconds for the demo
HEADLINE = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
MARKUP = re.compile(r"<[^>]*>")

# Pages whose headlines are still to be rewritten. This list only shrinks.
NOT_DONE = frozenset[str]()


@pytest.fixture
def demo(tmp_path, page: Page) -> Iterator[tuple[Page, str, DemoAddresses]]:
    with own_database() as store:
        variables = VARIABLES | {"EDICTUM_SITE_DEMO_PERCENT": "20"} | store
        with product(tmp_path / "demo", variables) as running:
            sign_in(page, running.url)
            page.get_by_role("button", name="Create demo project").click()
            ready = page.get_by_role("heading", name="Demo ready")
            expect(ready).to_be_visible(timeout=BEHIND)
            yield page, running.url, DemoAddresses(page, running.url)


def headline_of(text: str) -> str:
    heading = HEADLINE.search(text)
    return " ".join(html.unescape(MARKUP.sub("", heading[1])).split()) if heading else ""


def test_every_headline_of_the_demo_is_short_and_a_single_phrase(demo):
    page, url, addresses = demo
    long, number = {}, 0
    for name, path in pages_of(addresses):
        answer = page.request.get(f"{url}{path}")
        if answer.status != 200 or "<html" not in answer.text()[:200]:
            continue
        number += 1
        headline = headline_of(answer.text())
        is_phrase = ";" not in headline and not headline.endswith(".")
        if name not in NOT_DONE and (len(headline) > LONGEST or not is_phrase):
            long[name] = headline
    assert number > 60
    assert long == {}

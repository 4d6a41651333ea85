"""Bytes of a first visit over the network, as counted by the browser."""

from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page

from tests.items import an_outcome
from tests.journeys.conftest import sign_in
from tests.journeys.console import a_session

MOST = 100_000  # bytes
ALONGSIDE = 6  # connections per server in a browser, so that all files load in one round
PAGES = ("/account/sign-in/", "/p/default/overview/")


@dataclass
class Wire:
    names: dict[str, str] = field(default_factory=dict)
    octets: dict[str, int] = field(default_factory=dict)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)

    def listen(self, page: Page) -> None:
        browser = page.context.new_cdp_session(page)
        browser.send("Network.enable")
        browser.on("Network.requestWillBeSent", self._note_request)
        browser.on("Network.responseReceived", self._answered)
        browser.on("Network.loadingFinished", self._came)

    def _note_request(self, event):
        self.names[event["requestId"]] = event["request"]["url"]

    def _answered(self, event):
        answer = event["response"]["headers"]
        self.answers[event["requestId"]] = {name.lower(): answer[name] for name in answer}

    def _came(self, event):
        self.octets[event["requestId"]] = int(event["encodedDataLength"])

    def by_file(self, page: Page) -> dict[str, int]:
        """Bytes by URL of everything requested, largest first, without later live updates."""
        for _ in range(600):
            fields = {number for number, name in self.names.items() if "/live/" not in name}
            if fields <= self.octets.keys():
                break
            page.wait_for_timeout(100)
        first = {self.names[each]: self.octets[each] for each in fields}
        return dict(sorted(first.items(), key=lambda each: -each[1]))


@pytest.mark.parametrize("path", PAGES)
def test_a_first_visit_is_small_and_a_second_one_fetches_only_the_page(console, open_page, path):
    session = a_session()
    console.post(*(an_outcome(f"{session}-{at}", session_id=session) for at in range(50)))
    console.settled(f"outcomes/{session}-49")
    page = open_page()
    if path.startswith("/p/"):
        sign_in(page, console.url)
        page.wait_for_url("**/p/**")
        # As on a first visit.
        forget = page.context.new_cdp_session(page)
        forget.send("Network.clearBrowserCache")
        page.goto("about:blank")
    wire = Wire()
    wire.listen(page)
    page.goto(f"{console.url}{path}")
    page.locator("h1").wait_for()
    first = wire.by_file(page)
    assert sum(first.values()) < MOST, first
    assert len([name for name in first if name.endswith((".css", ".js"))]) <= ALONGSIDE, first
    for number in wire.octets.keys() & wire.names.keys():  # none that are still in flight
        name, answer = wire.names[number], wire.answers.get(number, {})
        assert answer.get("content-encoding") == "gzip" or "/live/" in name, name
        assert "immutable" in answer.get("cache-control", "") or "/static/" not in name, name
    blocking = "head script:not([type=module], [defer], [async])"
    assert page.locator(blocking).count() == 0
    assert page.locator("head link[rel=stylesheet]").count() == 1

    wire = Wire()
    wire.listen(page)
    page.goto(f"{console.url}{path}")
    page.locator("h1").wait_for()
    again = {name for name, count in wire.by_file(page).items() if count}
    assert again == {f"{console.url}{path}"}

"""The drawer of a call has the URL of the call, and the list below stays unchanged."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session
from tests.journeys.test_stream_processes import until

CALLS = 40


def a_list(console: Console, page: Page) -> str:
    """Open the page of a new session with many calls and return its id."""
    session = a_session()
    console.post(
        *(
            an_outcome(f"{session}-{number}", session_id=session, turn_id="t-1", agent_id="bot")
            for number in range(1, CALLS + 1)
        )
    )
    console.settled(f"agent-sessions/{session}?env=production")
    page.goto(f"{console.url}/p/default/sessions/{session}/?environment=production")
    page.evaluate("window.isTheSame = true")
    return session


def call_address(session: str, number: int) -> re.Pattern[str]:
    return re.compile(rf"/p/default/calls/{session}-{number}/\?environment=production$")


def row(page: Page, session: str, number: int) -> Locator:
    return page.locator(f"#calls a.row-link[href*='{session}-{number}/']")


def test_the_url_is_that_of_the_call_while_its_drawer_is_open(console: Console, admin: Page):
    session = a_list(console, admin)
    beneath, drawer = admin.url, admin.locator("#drawer")
    before = admin.evaluate("history.length")
    row(admin, session, 20).press("Enter")
    expect(admin).to_have_url(call_address(session, 20))
    expect(drawer.get_by_role("heading", name="Call 20")).to_be_focused()
    admin.keyboard.press("j")
    expect(admin).to_have_url(call_address(session, 19))
    admin.evaluate("scrollTo(0, 120)")
    admin.keyboard.press("Escape")
    expect(admin).to_have_url(beneath)
    expect(row(admin, session, 20)).to_be_focused()
    # Opening and closing leaves one forward entry in the history, however often.
    for number in (12, 11):
        row(admin, session, number).press("Enter")
        expect(admin).to_have_url(call_address(session, number))
        drawer.get_by_role("link", name="Close").click()
        expect(admin).to_have_url(beneath)
    assert admin.evaluate("history.length") == before + 1

    row(admin, session, 20).press("Enter")
    expect(admin).to_have_url(call_address(session, 20))
    admin.reload()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("http_get")
    expect(drawer).to_have_count(0)
    admin.go_back()
    expect(row(admin, session, 20)).to_be_visible()
    expect(admin).to_have_url(beneath)


def test_back_closes_the_drawer_and_restores_the_list(console: Console, admin: Page):
    session = a_list(console, admin)
    beneath, drawer = admin.url, admin.locator("#drawer")
    # A history entry that htmx marked as its own and would fetch again.
    admin.locator("#zoom-in").click()
    expect(admin.locator("#strip")).to_contain_text(f"of {CALLS}")
    expect(admin).not_to_have_url(beneath)
    zoomed = admin.url
    row(admin, session, 5).evaluate("row => row.scrollIntoView({block: 'center'})")
    row(admin, session, 5).click()
    expect(admin).to_have_url(call_address(session, 5))
    # The scroll position below the drawer is preserved.
    admin.evaluate("scrollBy(0, -60)")
    scrolled = admin.evaluate("scrollY")
    assert scrolled > 0

    listed: list[str] = []
    admin.on("request", lambda made: listed.append(made.url))
    console.post(an_outcome(f"{session}-new", session_id=session, agent_id="bot"))
    expect(admin.locator("[data-live-state]")).to_contain_text("1 new")
    assert not [url for url in listed if "/live/" not in url]
    admin.go_back()
    expect(drawer.locator("> *")).to_have_count(0)
    expect(admin).to_have_url(zoomed)
    until(lambda: admin.evaluate("scrollY") == scrolled)
    assert zoomed not in listed
    admin.evaluate("scrollTo(0, 0); document.activeElement.blur()")
    expect(admin.locator(f"#calls a[href*='{session}-new/']")).to_be_visible()

    admin.go_back()
    expect(admin.locator("#strip")).not_to_contain_text(f"of {CALLS}")
    expect(admin).to_have_url(beneath)
    assert admin.evaluate("window.isTheSame")


def test_links_in_the_list_below_an_open_drawer_apply_to_the_list(console: Console, admin: Page):
    session = a_list(console, admin)
    beneath = admin.url
    row(admin, session, 40).press("Enter")
    expect(admin).to_have_url(call_address(session, 40))
    admin.locator("a[href='#calls']").first.evaluate("link => link.click()")
    expect(admin).to_have_url(f"{beneath}#calls")
    admin.keyboard.press("Escape")
    expect(admin.locator("#drawer > *")).to_have_count(0)

    row(admin, session, 40).press("Enter")
    expect(admin).to_have_url(call_address(session, 40))
    admin.locator("#zoom-in").evaluate("link => link.click()")
    expect(admin).to_have_url(re.compile(r"last=\d+$"))
    admin.go_back()
    expect(admin).to_have_url(f"{beneath}#calls")
    assert admin.evaluate("window.isTheSame")


def test_opening_a_turn_in_the_drawer_restores_the_url_of_the_list(console: Console, admin: Page):
    session = a_list(console, admin)
    beneath = admin.url
    row(admin, session, 40).press("Enter")
    expect(admin).to_have_url(call_address(session, 40))
    admin.locator("#turns").get_by_role("link", name="t-1", exact=True).press("Enter")
    expect(admin.locator("#drawer").get_by_role("heading", name="Turn t-1")).to_be_focused()
    expect(admin).to_have_url(beneath)
    admin.keyboard.press("Escape")
    expect(admin.locator("#drawer > *")).to_have_count(0)
    expect(admin).to_have_url(beneath)

"""Pages that update themselves: many at once, and never under an open menu."""

import time

from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.console import a_session
from tests.journeys.test_stream_processes import until

TABS = 8


def overview_of(console, agent):
    return f"{console.url}/p/default/overview/?range=15m&agent={agent}"


def _live(request):
    return sum("/live/overview/" in url for url in request)


def test_eight_open_tabs_update_and_poll_at_most_once_a_second(console, admin):
    """Some browsers open at most six connections to one server, so no tab may hold one."""
    agent, denied = f"bot-of-{a_session()}", "[data-row='tile-denied']"
    console.post(an_outcome(agent_id=agent))
    console.settled("outcomes")
    tabs = [admin, *(admin.context.new_page() for _ in range(TABS - 1))]
    listed = []
    for tab in tabs:
        tab.on(
            "request", lambda made: listed.append(made.url) if "/live/overview/" in made.url else 0
        )
        tab.goto(overview_of(console, agent))
        expect(tab.locator(denied)).to_contain_text("0 of 1")
    before, began = _live(listed), time.monotonic()
    console.post(an_outcome(type="denied", reason="pre_hook", agent_id=agent))
    for tab in tabs:
        expect(tab.locator(denied)).to_contain_text("1 of 2")
    # A tab polls again if the change arrived with a response that was already on its way.
    until(lambda: _live(listed) - before >= TABS or admin.wait_for_timeout(100))
    waited = time.monotonic() - began
    assert _live(listed) - before <= TABS * (waited + 2)


def test_a_list_does_not_change_under_an_open_menu_and_updates_when_it_closes(console, admin):
    console.post(an_outcome(session_id=a_session()))
    console.settled("agent-sessions")
    admin.goto(f"{console.url}/p/default/sessions/")
    expect(admin.locator("[data-row]").first).to_be_visible()
    admin.locator("#scope summary").click()
    session = a_session()
    console.post(an_outcome(session_id=session))
    expect(admin.locator("[data-live-state]")).to_contain_text("1 new")
    expect(admin.get_by_role("link", name=session)).to_have_count(0)
    admin.keyboard.press("Escape")
    admin.mouse.click(640, 60)
    expect(admin.get_by_role("link", name=session)).to_be_visible()


def test_a_removed_row_is_announced_once_and_not_requested_again(
    console, admin, signed_in, browser
):
    session = a_session()
    console.post(an_outcome(session_id=session))
    console.settled(f"agent-sessions/{session}")
    # A separate browser, as its console logs the responses that this test expects.
    watching = browser.new_context(storage_state=signed_in)
    page = watching.new_page()
    page.goto(f"{console.url}/p/default/sessions/{session}/")
    admin.goto(f"{console.url}/p/default/delete-session/?of={session}")
    admin.locator("[name=typed]").fill(session)
    admin.get_by_role("button", name="Delete").click()
    gone = page.locator(".toast.bad")
    expect(gone).to_have_text("This item no longer exists.")
    # Each section of the page has polled once more.
    expect(page.locator("[hx-trigger*=every]:not([data-gone])")).to_have_count(0)
    listed: list[str] = []
    page.on("request", lambda made: listed.append(made.url))
    page.wait_for_timeout(2_500)
    expect(gone).to_have_count(1)
    assert listed == []
    watching.close()

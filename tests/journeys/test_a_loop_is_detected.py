"""A repeatedly denied call appears at once and links to its rule and its last call."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session


def denied(session: str, number: int) -> dict[str, Any]:
    return an_outcome(
        f"{session}-{number}",
        type="denied",
        reason="contract",
        details="Nothing is deleted here.",
        decision_name="no-deleting",
        session_id=session,
        agent_id=session,
        tool_name="shell",
        tool_args={"command": "rm -rf build"},
    )


def test_a_new_loop_appears_without_a_reload_and_links_to_its_rule_and_last_call(
    console: Console, admin: Page
):
    session = a_session()
    console.post(denied(session, 1), denied(session, 2))
    console.settled(f"agent-sessions/{session}?env=production")
    admin.goto(f"{console.url}/p/default/denials/?agent={session}")
    expect(admin.get_by_role("heading", level=1)).to_contain_text("2 of 2 calls denied")
    expect(admin.get_by_text("No session had the same call denied")).to_be_visible()

    console.post(denied(session, 3))
    stuck = f"{session} is stuck: shell denied 3 times by no-deleting"
    expect(admin.get_by_role("heading", level=1)).to_have_text(stuck)
    loop = admin.get_by_role("row", name=session)
    expect(loop).to_contain_text("no-deleting")
    expect(loop).to_contain_text("3")

    loop.get_by_role("link", name="no-deleting").press("Enter")
    expect(admin.get_by_role("heading", level=1)).to_contain_text("no-deleting denied 3 of 3 calls")
    call = admin.locator("#calls").get_by_role("link", name="shell").first
    call.press("Enter")
    expect(admin.locator("#drawer")).to_contain_text("Nothing is deleted here.")
    admin.keyboard.press("Escape")
    expect(call).to_be_focused()

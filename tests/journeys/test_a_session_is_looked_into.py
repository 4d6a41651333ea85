"""A session is inspected by keyboard: along its chart, zoomed in, and into a call."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect

from tests.journeys.console import Console, a_session


def test_a_session_chart_can_be_navigated_zoomed_and_opened_by_keyboard(
    console: Console, admin: Page
):
    session, begin = a_session(), datetime.now(UTC) - timedelta(minutes=9)
    console.post(
        *(
            {"type": "execution_result", "call_id": f"{session}-{number}", "tool_name": "look_up",
             "session_id": session, "agent_id": "bot", "turn_id": f"t-{number // 30}",
             "timestamp": (begin + timedelta(seconds=number)).isoformat(),
             "tool_args": {"page": number}, "output": {"page": number, "ok": True}}
            for number in range(1, 121)
        )
    )  # fmt: skip
    console.settled(f"agent-sessions/{session}?env=production")
    admin.goto(f"{console.url}/p/default/sessions/{session}/?environment=production")
    strip = admin.locator("#strip")
    expect(strip.locator("#zoom-all")).to_have_attribute("aria-current", "true")

    strip.locator("[data-strip] svg:visible a").first.focus()
    for _ in range(60):
        admin.keyboard.press("ArrowRight")
    sixty_first = re.compile("^Call 61 · look_up: executed")
    expect(admin.locator("#strip a:focus")).to_have_attribute("aria-label", sixty_first)
    admin.keyboard.press("+")
    expect(strip.get_by_text("calls 31 to 90 of 120")).to_be_visible()
    expect(admin.locator("#strip a:focus")).to_have_count(1)
    admin.wait_for_url("**first=31&last=90")
    admin.go_back()
    expect(strip.get_by_text("of 120")).to_have_count(0)
    admin.go_forward()
    expect(strip.get_by_text("calls 31 to 90 of 120")).to_be_visible()
    admin.keyboard.press("Control+k")
    expect(admin.get_by_role("combobox", name="Search")).to_be_focused()
    admin.keyboard.press("Escape")
    strip.locator("[data-strip] svg:visible a").first.focus()
    admin.keyboard.press("0")
    expect(strip.get_by_text("of 120")).to_have_count(0)
    strip.locator("#zoom-in").press("Enter")
    expect(strip.get_by_text("calls 31 to 90 of 120")).to_be_visible()
    strip.locator("[data-strip] svg:visible a").first.press("Enter")
    drawer = admin.locator("#drawer")
    expect(drawer.get_by_role("heading", name="Call 31")).to_be_focused()
    admin.keyboard.press("Escape")

    row = admin.locator("#calls tr", has_text="120").get_by_role("link", name="look_up").first
    row.press("Enter")
    drawer.get_by_role("link", name="Compare with the previous look_up call").click()
    expect(drawer.get_by_role("region", name="Output, what differs")).to_contain_text("119")
    drawer.locator("#call-rules").evaluate("part => part.scrollIntoView()")  # it loads itself then
    expect(drawer.get_by_text("This call has no known contract.")).to_be_visible()
    admin.keyboard.press("Escape")
    expect(row).to_be_focused()

    turn = admin.locator("#turns").get_by_role("link", name="t-1", exact=True)
    turn.press("Enter")
    expect(drawer.get_by_role("heading", name="Replay record")).to_be_visible()
    expect(drawer.get_by_role("heading", name="Turn t-1")).to_be_focused()

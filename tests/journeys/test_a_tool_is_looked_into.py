"""From the list of tools to the call behind a figure in three clicks, with live updates."""

from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session


def test_a_figure_of_a_tool_links_to_the_calls_behind_it(console: Console, admin: Page):
    tool, common = f"crm/{uuid4()}", {"session_id": a_session(), "agent_id": "billing-bot"}

    def post(*errors: str) -> None:
        failed = [an_outcome(tool_name=tool, type="failure", error=each) for each in errors]
        worked = an_outcome(tool_name=tool, output={"ok": True}, elapsed_ms=9.0)
        console.post(*(each | common for each in [*failed, worked]))
        console.settled("outcomes")

    post("Record 17 is locked", "Record 18 is locked", "not reached")
    admin.goto(f"{console.url}/p/default/tools/")
    admin.get_by_role("searchbox", name="Search tools").fill(tool)
    admin.keyboard.press("Enter")
    row = admin.locator(f'tr[data-row="tool-{tool}"]')
    expect(row).to_contain_text("25.0 %")
    admin.get_by_role("main").get_by_role("link", name="Calls").click()
    expect(admin.get_by_role("columnheader", name="Calls")).to_have_attribute(
        "aria-sort", "descending"
    )
    row.get_by_role("link", name=tool).click()
    expect(admin.locator("#sentence")).to_contain_text("25.0 % of 4 calls succeeded")
    expect(admin.locator("#tool-results")).to_contain_text("{ok: true}")
    expect(admin.locator("#tool-calls")).to_contain_text("billing-bot")
    post("Record 19 is locked")
    expect(admin.locator("#sentence")).to_contain_text("33.3 % of 6 calls succeeded")
    expect(admin.locator("#tool-groups")).to_contain_text("4 failures in 2 groups")
    admin.get_by_role("link", name="Record # is locked").click()
    expect(admin.locator("#sentence")).to_contain_text("failed this way")
    admin.locator("#call-rows tbody a.row-link").last.click()
    expect(admin.locator("#drawer")).to_contain_text("Record 17 is locked")

"""Sessions are filtered, sorted and saved as a view while the list updates itself."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.console import a_session

pytestmark = pytest.mark.both_databases


def test_a_list_of_sessions_can_be_filtered_sorted_saved_and_reopened(
    console, signed_in, open_page
):
    loop, fine, agent = a_session(), a_session(), f"facets-{a_session()[-12:]}"
    denied: dict[str, Any] = {
        "type": "denied",
        "reason": "contract",
        "tool_args": {"id": 1},
        "turn_id": "t",
    }
    console.post(
        *(an_outcome(session_id=loop, agent_id=agent, **denied) for _ in range(3)),
        an_outcome(session_id=fine, agent_id=agent, output={"ok": True}),
    )
    console.settled(f"agent-sessions?agent={agent}")

    page = open_page(storage_state=signed_in)
    page.goto(f"{console.url}/p/default/sessions/?agent={agent}")
    filters = page.get_by_role("complementary", name="Filters")
    expect(filters.get_by_role("link", name="Waste 1")).to_be_visible()
    filters.get_by_role("link", name="Denials 1").click()
    rows = page.locator("tr[data-row]")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(loop)
    filters.get_by_role("link", name="Denials 1").click()
    page.get_by_role("main").get_by_role("link", name="Calls", exact=True).click()
    expect(page.get_by_role("columnheader", name="Calls")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect(rows.first).to_contain_text(loop)

    page.locator("#views summary").click()
    page.get_by_label("View name").fill(agent)
    page.get_by_role("button", name="Save view").click()
    expect(page.get_by_text(f"{agent} saved.")).to_be_visible()
    console.post(an_outcome(session_id=a_session(), agent_id=agent, output={"ok": True}))
    expect(rows).to_have_count(3)
    expect(filters.get_by_role("link", name="Waste 1")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("3 sessions, none hit a limit")

    narrow = {"width": 390, "height": 844}
    without_script = open_page(storage_state=signed_in, java_script_enabled=False, viewport=narrow)
    without_script.goto(f"{console.url}/p/default/sessions/")
    without_script.locator("#views summary").click()
    without_script.get_by_role("link", name="All saved views").click()
    without_script.get_by_role("link", name=agent, exact=True).click()
    expect(without_script.locator("tr[data-row]")).to_have_count(3)
    expect(without_script.locator("tr[data-row]").first).to_contain_text(loop)
    without_script.goto(f"{console.url}/p/default/saved-views/")
    without_script.get_by_role("button", name=f"Remove {agent}").click()
    expect(without_script.get_by_text("View removed.")).to_be_visible()

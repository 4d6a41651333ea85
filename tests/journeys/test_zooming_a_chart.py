"""Dragging over a chart sets the range of the page."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session


def test_dragging_over_a_chart_zooms_and_a_click_still_opens_its_calls(
    console: Console, admin: Page
):
    agent = f"bot-{a_session()}"
    console.post(an_outcome(agent_id=agent, output={"ok": True}))
    console.settled("outcomes")
    admin.goto(f"{console.url}/p/default/overview/?range=24h&agent={agent}")
    plot = admin.locator("[data-plot^=Outcomes]")
    expect(admin.locator("main [hx-trigger=load]")).to_have_count(0)
    box = plot.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    admin.mouse.move(box["x"] + box["width"] / 2, middle)
    admin.mouse.down()
    admin.mouse.move(box["x"] + box["width"] - 2, middle, steps=5)
    expect(admin.locator(".chart-selection")).to_be_visible()
    admin.mouse.up()
    admin.wait_for_url("**from=**")
    chosen = parse_qs(urlsplit(admin.url).query)
    assert "range" not in chosen
    assert chosen["from"][0] < chosen["to"][0]
    assert chosen["agent"] == [agent]
    expect(admin.locator("[data-row=tile-rate]")).to_contain_text("of 1")
    plot.locator("a").last.click(force=True)
    admin.wait_for_url("**/calls/**")


def test_dragging_with_shift_compares_the_failures_of_that_period(console: Console, admin: Page):
    agent = f"bot-{a_session()}"
    console.post(
        *(an_outcome(agent_id=agent, output="Error: gone", tool_args={"n": 1}) for _ in range(6)),
        *(an_outcome(agent_id=agent, output={"ok": True}, tool_args={"n": 2}) for _ in range(6)),
    )
    console.settled("outcomes")
    admin.goto(f"{console.url}/p/default/overview/?range=24h&agent={agent}")
    expect(admin.locator("main [hx-trigger=load]")).to_have_count(0)
    box = admin.locator("[data-plot^=Outcomes]").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    admin.mouse.move(box["x"] + box["width"] / 2, middle)
    admin.keyboard.down("Shift")
    admin.mouse.down()
    admin.mouse.move(box["x"] + box["width"] - 2, middle, steps=5)
    admin.mouse.up()
    admin.keyboard.up("Shift")
    admin.wait_for_url("**/calls/**differs=1**")
    chosen = parse_qs(urlsplit(admin.url).query)
    assert (chosen["show"], chosen["agent"]) == (["failures"], [agent])
    expect(admin.locator("#differs")).to_contain_text("What differs")

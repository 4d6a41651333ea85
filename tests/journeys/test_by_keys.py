"""By keyboard alone: at three in the morning an operator finds why an agent stopped.

And the same pages without a script, which keys do not reach, show what they have to say.
"""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document
from tests.items import an_outcome
from tests.journeys.console import Console
from tests.journeys.rows import walk_to
from tests.journeys.streams import new_key
from tests.journeys.test_accessibility import ONLY_COLOURS, PAINTED, findings

MOST = 3
LIMIT = (
    "{id: few, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: no more}}"
)


@pytest.fixture(scope="module")
def night(console: Console) -> str:
    """Name of an environment, of its agent and of a session that hit a limit."""
    name = f"night-{uuid4().hex[:8]}"
    text = document(LIMIT).replace("name: d", f"name: {name}")
    status, saved = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, saved
    key = new_key(console, env=name, name=name)
    common = {"session_id": name, "agent_id": name, "policy_version": saved["revision_hash"]}
    console.post(
        *(
            an_outcome(
                f"{name}-{at}", tool_name=f"{name}-search", output="Error: timeout", **common
            )
            for at in range(1, MOST + 1)
        ),
        an_outcome(
            f"{name}-end", type="denied", reason="limit", tool_name=f"{name}-write", **common
        ),
        key=key,
    )
    console.settled(f"agent-sessions/{name}?env={name}")
    return name


def pressed(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_an_operator_finds_by_keyboard_why_an_agent_stopped(
    console: Console, admin: Page, night: str
):
    admin.goto(f"{console.url}/p/default/overview/?environment={night}")
    row = admin.locator("main").get_by_role("link", name=night, exact=True)
    expect(row).to_be_visible()
    walk_to(admin, row)
    pressed(admin, "Enter")
    expect(admin.get_by_role("heading", level=1)).to_have_text(
        f"{night} hit few 3 calls early: 3 of 3 counted calls failed"
    )

    call = admin.locator("#calls a.row-link").first
    walk_to(admin, call)
    pressed(admin, "Enter")
    drawer = admin.locator("#drawer")
    expect(drawer.locator("[data-drawer-head]")).to_be_focused()
    pressed(admin, "Escape")
    expect(call).to_be_focused()

    pressed(admin, "?")
    keys = admin.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_contain_text("Artifacts")
    pressed(admin, "Escape")
    expect(keys).to_be_hidden()
    for key, page in (("d", "denials"), ("a", "artifacts"), ("t", "tools")):
        pressed(admin, "g", key)
        admin.wait_for_url(f"**/{page}/**")
    # A key that no page uses, on a keyboard that needs no Shift for it.
    pressed(admin, "g", '"', "g", "d")
    admin.wait_for_url("**/denials/**")
    pressed(admin, "g", "t")
    admin.wait_for_url("**/tools/**")
    pressed(admin, "/")
    admin.keyboard.type(f"{night}-search")
    pressed(admin, "Enter")
    admin.wait_for_url("**q=night**")
    pressed(admin, "j")
    expect(admin.locator("main a:focus")).to_contain_text(f"{night}-search")
    pressed(admin, "Enter")
    admin.wait_for_url(f"**/tools/{night}-search/**")


def test_search_opens_on_every_page_and_single_key_shortcuts_can_be_disabled(
    console: Console, admin: Page, night: str
):
    admin.goto(f"{console.url}/p/default/settings/?range=7d")
    pressed(admin, "Control+k")
    field = admin.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    chosen = admin.locator("#palette [aria-selected=true]")
    expect(chosen).to_have_count(1)
    admin.keyboard.type(f"{night}-sea", delay=20)
    expect(chosen).to_contain_text(f"{night}-search")
    expect(admin.locator("#palette [role=option]")).to_have_count(1)
    field.fill(night)
    expect(admin.locator("#palette").get_by_role("group", name="Sessions")).to_be_visible()
    assert list(findings("palette", admin)) == []
    admin.emulate_media(color_scheme="dark")
    admin.evaluate(PAINTED)
    assert list(findings("palette in the dark", admin, ONLY_COLOURS)) == []
    pressed(admin, "ArrowDown", "ArrowUp", "ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", str(chosen.get_attribute("id")))
    field.fill(f"{night}-end")
    expect(chosen).to_contain_text("denied")
    pressed(admin, "Enter")
    admin.wait_for_url(f"**/calls/{night}-end/**")

    pressed(admin, "?")
    with admin.expect_response("**/keyboard/"):
        admin.get_by_label("Single keys act as shortcuts").uncheck()
    pressed(admin, "Escape", "?")
    expect(admin.locator("dialog[open]")).to_have_count(0)
    admin.reload()
    pressed(admin, "?")
    expect(admin.locator("dialog[open]")).to_have_count(0)
    pressed(admin, "Control+k")
    expect(admin.locator("#palette")).to_be_visible()
    admin.goto(f"{console.url}/p/default/keyboard/")
    with admin.expect_response("**/keyboard/"):
        admin.locator("main").get_by_label("Single keys act as shortcuts").check()


def test_without_javascript_every_page_in_the_navigation_has_content(
    console: Console, signed_in, open_page, night: str
):
    page = open_page(storage_state=signed_in, java_script_enabled=False)
    page.goto(f"{console.url}/p/default/overview/?environment={night}")
    entries = page.locator("nav[aria-label=Main] li a")
    addresses = [str(each.get_attribute("href")) for each in entries.all()]
    assert len(addresses) > 8
    for address in addresses:
        page.goto(f"{console.url}{address}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert len(page.locator("main").inner_text()) > 100, address
        expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_role("searchbox").fill(f"{night}-wri")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("main").get_by_role("link", name=f"{night}-write")).to_be_visible()
    expect(page.locator("header kbd").first).to_be_hidden()
    page.goto(f"{console.url}/p/default/keyboard/")
    expect(page.locator("main")).to_contain_text("Next and previous row")

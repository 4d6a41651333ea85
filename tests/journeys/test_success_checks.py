"""From a wrongly classified call to a check bound to its tool, in one browser."""

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.items import an_outcome
from tests.journeys.console import Console

CHECKS = "/p/default/checks/"
BINDINGS = f"{CHECKS}bindings/"
PREVIEW = "**/bindings/preview/"
CHECK = (
    "apiVersion: edictum-site/v1\nkind: SuccessCheck\nmetadata: {name: tickets}\n"
    "otherwise: default\nrules:\n"
    "  - {id: not-ok, when: {result.ok: {equals: false}}, verdict: failure}\n"
)
TOOLS = ("ticket_open", "ticket_close", "ticket_search")


@pytest.fixture(autouse=True)
def _called(console: Console):
    saved = json.dumps({"yaml": CHECK}).encode()
    assert console.ask("PUT", "success-checks/tickets", saved)[0] in (200, 201)
    bind(console)
    # Often enough to be among the most called tools.
    calls = [an_outcome(tool_name=tool, output={"ok": False}) for tool in TOOLS for _ in range(40)]
    console.post(*calls)
    console.settled("outcomes")
    yield
    bind(console)


def bind(console: Console, *lines: dict[str, str]) -> None:
    body = json.dumps({"bindings": lines}).encode()
    assert console.ask("PUT", "success-check-bindings", body)[0] == 200


def bound(console: Console) -> list[str]:
    answer = console.ask("GET", "success-check-bindings")[1]["bindings"]
    return [f"{line['agent']} {line['tool']} {line['check']}" for line in answer]


def judged(console: Console, tool: str) -> str:
    call_id = f"{tool}-after"
    console.post(an_outcome(call_id, tool_name=tool, output={"ok": False}))
    return str(console.settled(f"outcomes/{call_id}")["verdict"])


def field(page: Page, line: int, name: str):
    return page.get_by_label(f"Row {line}: {name}", exact=True)


def expect_tools(page: Page, *tools: str) -> None:
    fields = page.locator("#binding-lines [name=tool]")
    expect(fields).to_have_count(len(tools))
    for place, tool in enumerate(tools):
        expect(fields.nth(place)).to_have_value(tool)


def test_a_tool_without_a_check_can_be_bound_from_the_list(console: Console, admin: Page):
    admin.get_by_role("link", name="Success checks").first.click()
    # The time range is carried over.
    expect(admin).to_have_url(re.compile(rf"{re.escape(CHECKS)}(\?|$)"))
    admin.get_by_role("link", name="Bindings").first.click()
    card = admin.locator("#bindings-preview")
    expect(card.get_by_role("heading")).to_contain_text("default check only")
    card.get_by_role("checkbox", name="Bind ticket_open").check()
    card.get_by_role("button", name="Bind selected").click()
    expect(field(admin, 1, "tool")).to_have_value("ticket_open")
    field(admin, 1, "tool").fill("ticket_*")
    field(admin, 1, "check").fill("tickets")
    expect(admin.locator("#judged-1")).to_have_text(re.compile(r"[1-9]"))
    expect(admin.get_by_role("heading", level=1)).to_have_text(
        "1 binding for 1 check, not saved yet"
    )
    admin.get_by_label("Tool", exact=True).fill("ticket_close")
    admin.get_by_role("button", name="Check", exact=True).click()
    expect(admin.locator("#applying")).to_have_text("tickets applies, by row 1.")
    assert bound(console) == []
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("The bindings apply to new calls.")).to_be_visible()
    offer = admin.get_by_role("link", name=re.compile("Reclassify [0-9]+ past calls?…"))
    expect(offer).to_be_visible()
    assert bound(console) == ["* ticket_* tickets"]
    assert judged(console, "ticket_open") == "failure"


def test_bindings_can_be_reordered_by_keyboard_without_losing_focus(console: Console, admin: Page):
    bind(console, *({"tool": tool, "check": "tickets"} for tool in TOOLS))
    admin.goto(f"{console.url}{BINDINGS}")
    down = admin.get_by_role("button", name="Row 1: down")
    down.focus()
    admin.keyboard.press("Enter")
    expect_tools(admin, "ticket_close", "ticket_open", "ticket_search")
    expect(admin.get_by_role("button", name="Row 2: down")).to_be_focused()
    admin.keyboard.press("Enter")
    expect_tools(admin, "ticket_close", "ticket_search", "ticket_open")
    expect(admin.locator("#bindings-said")).to_have_text("Row 3 of 3.")
    admin.get_by_role("button", name="Row 1: remove").click()
    expect(admin.get_by_role("button", name="Row 1: remove")).to_be_focused()
    admin.get_by_role("button", name="Add binding", exact=True).click()
    expect(field(admin, 3, "tool")).to_be_focused()
    admin.keyboard.type("other")
    field(admin, 3, "check").fill("http")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("The bindings apply to new calls.")).to_be_visible()
    assert bound(console) == ["* ticket_search tickets", "* ticket_open tickets", "* other http"]


def test_a_response_for_outdated_bindings_is_dropped(console: Console, admin: Page):
    bind(console, *({"tool": tool, "check": "tickets"} for tool in TOOLS))
    late: list[Route] = []
    admin.route(PREVIEW, lambda request: late.append(request), times=1)
    with admin.expect_request(PREVIEW):
        admin.goto(f"{console.url}{BINDINGS}")
    admin.get_by_role("button", name="Row 3: remove").click()
    late[0].continue_()
    expect(admin.locator("#judged-2")).to_have_text(re.compile(r"[1-9]"))
    expect(admin.locator("#judged-3")).to_have_count(0)


def test_a_binding_can_be_dragged_to_another_position(console: Console, admin: Page):
    bind(console, *({"tool": tool, "check": "tickets"} for tool in TOOLS))
    admin.goto(f"{console.url}{BINDINGS}")
    grips = admin.locator("[data-grip]")
    target = admin.locator("[data-binding]").nth(2)
    box = target.bounding_box()
    assert box is not None
    grips.nth(0).drag_to(target, target_position={"x": 30, "y": box["height"] - 4})
    expect(admin.locator("#bindings-said")).to_have_text("Row 3 of 3.")
    expect_tools(admin, "ticket_close", "ticket_search", "ticket_open")
    expect(field(admin, 3, "tool")).to_have_value("ticket_open")


def test_without_javascript_bindings_can_be_edited_previewed_and_saved(
    console: Console, signed_in, open_page
):
    bind(console, *({"tool": tool, "check": "tickets"} for tool in TOOLS))
    page = open_page(storage_state=signed_in, java_script_enabled=False)
    page.goto(f"{console.url}{BINDINGS}")
    page.get_by_role("button", name="Row 3: up").click()
    expect_tools(page, "ticket_open", "ticket_search", "ticket_close")
    page.get_by_role("button", name="Row 1: remove").click()
    page.get_by_role("button", name="Preview calls").click()
    expect(page.get_by_role("cell", name="* * ticket_search")).to_be_visible()
    page.get_by_role("button", name="Back to bindings").click()
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("The bindings apply to new calls.")).to_be_visible()
    assert bound(console) == ["* ticket_search tickets", "* ticket_close tickets"]


def test_a_check_page_displays_its_yaml_and_a_download(console: Console, admin: Page):
    admin.goto(f"{console.url}{CHECKS}c/tickets/")
    expect(admin.get_by_role("heading", level=1)).to_contain_text(re.compile(r"tickets v\d+ "))
    admin.get_by_role("link", name="not-ok").click()
    expect(admin.locator("#L6")).to_be_in_viewport()
    admin.locator("summary", has_text="Download").click()
    with admin.expect_download() as started:
        admin.get_by_role("link", name="tickets.py").click()
    assert started.value.suggested_filename == "tickets.py"
    assert "def success_check" in started.value.path().read_text()


BROKEN = """
buttons => buttons.filter((button) => {
  const range = document.createRange();
  range.selectNode(button.firstChild);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
}).length
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_no_button_label_wraps_next_to_a_long_description(
    console: Console, signed_in, open_page, width
):
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": 900})
    page.goto(f"{console.url}{CHECKS}new/")
    buttons = page.locator("td .button")
    assert buttons.count() > 80
    assert buttons.evaluate_all(BROKEN) == 0


@pytest.mark.parametrize("width", [320, 390, 768])
def test_no_check_page_is_wider_than_the_window(console: Console, signed_in, open_page, width):
    long = "a_tool_with_a_name_of_more_than_forty_letters_" * 2
    bind(
        console,
        {"tool": long, "check": "tickets"},
        {"agent": long[:90], "tool": "*", "check": "http"},
    )
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": 900})
    for path in ("", "c/tickets/", "c/http/", "c/tickets/compare/", "bindings/", "use/"):
        page.goto(f"{console.url}{CHECKS}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path

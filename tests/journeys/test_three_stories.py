"""Three people and their tasks by keyboard alone, on a desktop and a phone, light and dark. Each
gets from a figure to the call behind it in at most three steps."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.console import Console
from tests.journeys.rows import STEPS, walk_to
from tests.journeys.streams import new_key
from tests.journeys.test_accessibility import findings

LIMIT = (
    "{id: few, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: no more}}"
)
NO_DELETING = pre(
    "{args.command: {contains: 'rm -rf'}}", rule_id="no-deleting", message="Nothing is deleted."
)
SILENT = {"ok": False, "message": "version conflict: expected 7, found 8"}


@pytest.fixture(scope="module")
def place(console: Console) -> str:
    """Name of an environment and its agent, with a denial loop, a limit hit early and a silent
    failure."""
    name = f"place-{uuid4().hex[:8]}"
    text = document(LIMIT, NO_DELETING).replace("name: d", f"name: {name}")
    status, saved = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, saved
    live = json.dumps({"version": 1, "env": name}).encode()
    status, answer = console.ask("POST", f"contracts/{name}/deployments", live)
    assert status in (200, 201), answer
    key = new_key(console, env=name, name=name)
    common = {"agent_id": name, "policy_version": saved["revision_hash"]}
    stopped = common | {"session_id": f"{name}-stopped", "tool_name": f"{name}-search"}
    loop = common | {"session_id": f"{name}-loop", "tool_name": f"{name}-shell"}
    loop |= {"reason": "contract", "decision_name": "no-deleting", "details": "Nothing is deleted."}
    silent = common | {"session_id": f"{name}-silent", "tool_name": f"{name}-crm"}
    console.post(
        *(an_outcome(f"{name}-{n}", output="Error: timeout", **stopped) for n in range(3)),
        an_outcome(f"{name}-end", type="denied", reason="limit", **stopped),
        *(
            an_outcome(f"{name}-rm-{n}", type="denied", tool_args={"command": "rm -rf ."}, **loop)
            for n in range(6)
        ),
        *(
            an_outcome(f"{name}-crm-{n}", output=SILENT, tool_args={"id": n}, **silent)
            for n in range(3)
        ),
        key=key,
    )
    console.settled(f"agent-sessions/{name}-silent?env={name}")
    return name


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[1280, 390])
def desk(
    request: pytest.FixtureRequest,
    theme: str,
    console: Console,
    signed_in: Any,
    open_page: Callable[..., Page],
    place: str,
) -> Iterator[Page]:
    """The overview page in each theme and width."""
    page = open_page(
        storage_state=signed_in,
        color_scheme=theme,
        viewport={"width": request.param, "height": 900},
        reduced_motion="reduce",
    )
    page.goto(f"{console.url}/p/default/overview/?range=7d&environment={place}")
    heading(page, re.compile("is stuck|early|like failures|like a failure|open alert"))
    yield page
    # After inspecting one thing the time range and environment are still the same.
    page.keyboard.press("Escape")
    press(page, "g", "o")
    page.wait_for_url("**/overview/**")
    assert "range=7d" in page.url
    assert f"environment={place}" in page.url


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def heading(page: Page, words: str | re.Pattern[str]) -> None:
    """Wait for the page with this heading, and check its width and accessibility."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(words)
    expect(page.locator("main [hx-trigger=load]")).to_have_count(0)
    assert list(findings(page.url, page)) == []
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= screen


def alert(page: Page, title: str) -> Locator:
    """Alert on the alerts page. Alerts are evaluated some seconds after the calls."""
    press(page, "g", "n")
    page.wait_for_url("**/alerts/**")
    listed = page.get_by_role("link", name=title)
    for _ in range(STEPS):
        if listed.count():
            break
        page.wait_for_timeout(1_000)
        page.reload()
    return listed


def test_a_platform_engineer_finds_which_rule_denies_and_what_it_denied(desk: Page, place: str):
    walk_to(desk, alert(desk, f"{place}-loop is stuck"))
    press(desk, "g", "d")
    heading(desk, "denied 6 times by no-deleting")
    walk_to(desk, desk.locator("[data-row=rule-no-deleting] a.row-link"))
    press(desk, "Enter")
    heading(desk, "no-deleting denied 6 of 13 calls")
    expect(desk.get_by_role("region", name="Rule")).to_contain_text("rm -rf")
    call = desk.locator("#calls a.row-link").first
    walk_to(desk, call)
    press(desk, "Enter")
    expect(desk.locator("#drawer")).to_contain_text("Nothing is deleted.")
    assert list(findings("drawer", desk)) == []
    press(desk, "Escape")
    expect(call).to_be_focused()
    desk.get_by_role("link", name=f"{place} v1").first.press("Enter")
    desk.wait_for_url("**/versions/1/**")
    expect(desk.locator("main")).to_contain_text("no-deleting")
    desk.go_back()
    heading(desk, "no-deleting denied 6 of 13 calls")


def test_an_operator_finds_why_an_agent_stopped_and_how_to_stop_another(desk: Page, place: str):
    walk_to(desk, alert(desk, f"{place}-stopped hit few 3 calls early"))
    press(desk, "Enter")
    heading(desk, "hit few 3 calls early: 3 of 3 counted calls failed")
    walk_to(desk, desk.locator("#calls a.row-link").first)
    press(desk, "Enter")
    expect(desk.locator("#drawer")).to_contain_text("Why denied")
    assert list(findings("drawer", desk)) == []
    press(desk, "j")
    expect(desk.locator("#drawer")).to_contain_text("Error: timeout")
    press(desk, "Escape")
    desk.locator(".facts").get_by_role("link", name=place, exact=True).press("Enter")
    heading(desk, place)
    desk.get_by_role("link", name="Stop this agent").press("Enter")
    heading(desk, f"Stop {place} in {place}?")


def test_an_agent_developer_finds_a_call_what_the_model_saw_and_a_check_for_it(
    desk: Page, place: str
):
    press(desk, "/")
    expect(desk.get_by_role("combobox", name="Search")).to_be_focused()
    desk.keyboard.type(f"{place}-crm-1")
    expect(desk.locator("#palette [aria-selected=true]")).to_contain_text(f"{place}-crm-1")
    press(desk, "Enter")
    heading(desk, f"{place}-crm")
    expect(desk.get_by_role("region", name="What the model saw")).to_contain_text("expected 7")
    desk.get_by_role("link", name=f"Compare with the previous {place}-crm call").press("Enter")
    expect(desk.get_by_role("region", name="Arguments, what differs")).to_be_visible()
    desk.locator("main").get_by_role("link", name=f"{place}-crm", exact=True).first.press("Enter")
    heading(desk, re.compile("All 3 calls succeeded|like failures|like a failure"))
    expect(desk.locator("#tool-results")).to_contain_text("{message: text, ok: false}")
    desk.go_back()
    desk.get_by_role("link", name="Create check").press("Enter")
    heading(desk, "A rule for this output")
    expect(desk.locator("#check-text")).to_contain_text("result.ok")

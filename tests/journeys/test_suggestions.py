"""From a silent failure to a rule that detects it, in one browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.clicks import clicks_counted
from tests.journeys.console import BEHIND, Console
from tests.journeys.test_accessibility import findings_in_both_themes
from tests.outcomes.silent_failures import FAILING, WORKING

SUGGESTIONS = "/p/default/checks/suggestions/"
DISAGREEMENTS = "/p/default/checks/disagreements/"


@pytest.fixture(scope="module")
def _fails_silently(console: Console) -> None:
    used = {"success_check": {"name": "default", "version": 0}}
    for tool, (worked, failed, _) in FAILING.items():
        console.post(
            *(an_outcome(tool_name=tool, output=worked, agent_id="crm-bot") for _ in range(3)),
            an_outcome(tool_name=tool, output=failed, agent_id="crm-bot"),
        )
    console.post(*(an_outcome(tool_name=tool, output=output) for tool, output in WORKING.items()))
    console.post(an_outcome(tool_name="named_by_a_program_" * 5, output={"ok": False}))
    bind(
        console, {"tool": "search_index", "check": "default"}, {"tool": "fetch", "check": "default"}
    )
    console.post(
        *(
            an_outcome(
                tool_name="search_index",
                output={"is_error": True, "hits": []},
                tool_success=True,
                agent_id="old-bot",
                metadata=used,
            )
            for _ in range(4)
        ),
        an_outcome(tool_name="fetch", output={"page": 1}, tool_success=False, agent_id="new-bot"),
    )
    console.settled("outcomes")
    bind(console)


def bind(console: Console, *lines: dict[str, str]) -> None:
    body = json.dumps({"bindings": lines}).encode()
    status, answer = console.ask("PUT", "success-check-bindings", body)
    assert status == 200, answer


def scanned(console: Console, page: Page) -> None:
    """Start a scan if needed and wait for its result. Scans yield to all other jobs, so this takes
    a while on a busy machine."""
    page.goto(f"{console.url}{SUGGESTIONS}")
    row = page.get_by_role("link", name=re.compile("http_get"))
    if not row.count():
        page.get_by_role("button", name="Scan now").click()
    expect(row).to_be_visible(timeout=BEHIND)


@pytest.mark.both_databases
@pytest.mark.usefixtures("_fails_silently")
def test_a_silent_failure_leads_to_a_corrected_rate_in_six_clicks(
    console: Console, admin: Page, tmp_path: Path
):
    clicks = clicks_counted(admin)
    scanned(console, admin)
    clicks.clear()  # a scan runs by itself every few minutes
    admin.screenshot(path=tmp_path / "1-suggested.png", full_page=True)
    admin.get_by_role("link", name=re.compile("crm_update")).click()
    expect(admin.get_by_role("heading", level=1)).to_have_text(
        "1 of 4 crm_update outputs looks like a failure"
    )
    step = admin.locator("[aria-current=step]")
    expect(step).to_contain_text("1 rule for crm_update in the new check crm-update.")
    step.get_by_role("button", name="Create draft").click()
    expect(step).to_contain_text("1 recorded call would change to failure.", timeout=BEHIND)
    admin.screenshot(path=tmp_path / "2-drafted.png", full_page=True)
    step.get_by_role("button", name="Save check").click()
    step.get_by_role("button", name="Bind to crm_update").click()
    admin.screenshot(path=tmp_path / "3-bound.png", full_page=True)
    step.get_by_role("button", name="Reclassify 4 calls").click()
    expect(admin).to_have_url(re.compile("/reclassifications/[0-9]+/$"))
    tool = admin.get_by_role("link", name="crm_update").first
    expect(tool).to_be_visible(timeout=BEHIND)
    tool.click()
    expect(admin.get_by_role("main")).to_contain_text("75.0")
    assert len(clicks) == 6, clicks
    admin.screenshot(path=tmp_path / "4-corrected.png", full_page=True)


@pytest.mark.usefixtures("_fails_silently")
def test_a_suggestion_can_be_dismissed_and_restored_by_keyboard(console: Console, admin: Page):
    scanned(console, admin)
    row = admin.get_by_role("link", name=re.compile("http_get"))
    row.click()
    admin.get_by_role("button", name="Dismiss").focus()
    admin.keyboard.press("Enter")
    expect(admin.get_by_text("Suggestion dismissed.")).to_be_visible()
    expect(row).to_have_count(0)
    admin.get_by_role("button", name="Restore http/status for http_get").focus()
    admin.keyboard.press("Enter")
    expect(row).to_have_count(1)


@pytest.mark.both_databases
@pytest.mark.usefixtures("_fails_silently")
def test_an_agent_on_an_old_check_version_is_marked(console: Console, admin: Page):
    admin.goto(f"{console.url}{DISAGREEMENTS}")
    row = admin.get_by_role("row", name=re.compile("old-bot search_index"))
    expect(row).to_contain_text("old version")
    admin.locator("#scope summary").click()
    admin.get_by_role("link", name="Last 7 days").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("in the last 7 days")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.usefixtures("_fails_silently")
def test_suggestion_pages_are_accessible_and_fit_the_window(
    console: Console, signed_in, browser, width
):
    view = {"width": width, "height": 900}
    with browser.new_context(
        storage_state=signed_in, color_scheme="light", viewport=view, reduced_motion="reduce"
    ) as context:
        page = context.new_page()
        scanned(console, page)
        one = page.get_by_role("link", name=re.compile("http_get")).get_attribute("href")
        listed = []
        for path in (SUGGESTIONS, one, DISAGREEMENTS):
            page.goto(f"{console.url}{path}")
            listed += findings_in_both_themes(path, page)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                listed.append(f"{path} is too wide")
    assert listed == []

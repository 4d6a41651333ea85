"""From a failure that nobody sees to a rule that sees it, in one browser."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import BEHIND, Console
from tests.journeys.test_accessibility import findings
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


def looked(console: Console, page: Page) -> None:
    """Asked for once; the page shows what came of it by itself. The process that looks gives way
    to all others, so on a busy machine it takes its time."""
    page.goto(f"{console.url}{SUGGESTIONS}")
    heading = page.get_by_role("heading", name=re.compile("crm_update"))
    if not heading.count():
        page.get_by_role("button", name="Look now").click()
    expect(heading).to_be_visible(timeout=BEHIND)


@pytest.mark.usefixtures("_fails_silently")
def test_a_failure_that_nobody_sees_becomes_a_rule_in_the_editor(console: Console, admin: Page):
    looked(console, admin)
    card = admin.locator("section.card", has=admin.get_by_role("heading", name=re.compile("crm_u")))
    expect(card.get_by_role("heading")).to_contain_text(
        "1 result of crm_update judged success has ok: false."
    )
    expect(card).to_contain_text("row 32 of the result shapes, Slack style")
    card.get_by_role("button", name="Draft this rule").click()
    expect(admin).to_have_url(re.compile("/checks/drafts/[0-9]+/$"))
    expect(admin.get_by_text("What it would change is being computed.")).to_be_visible()
    expect(admin.locator("[name=text]")).to_have_value(re.compile("tool: crm_update"))


@pytest.mark.usefixtures("_fails_silently")
def test_a_suggestion_is_dismissed_and_brought_back_by_keyboard(console: Console, admin: Page):
    looked(console, admin)
    heading = admin.get_by_role("heading", name=re.compile("http_get"))
    card = admin.locator("section.card", has=heading)
    card.get_by_role("button", name="Dismiss").focus()
    admin.keyboard.press("Enter")
    expect(heading).to_have_count(0)
    admin.get_by_role("button", name="Bring back http/status for http_get").focus()
    admin.keyboard.press("Enter")
    expect(heading).to_have_count(1)


@pytest.mark.usefixtures("_fails_silently")
def test_an_agent_on_an_old_check_stands_out(console: Console, admin: Page):
    admin.goto(f"{console.url}{DISAGREEMENTS}")
    row = admin.get_by_role("row", name=re.compile("old-bot search_index"))
    expect(row).to_contain_text("old version")
    admin.locator("#scope summary").click()
    admin.get_by_role("link", name="Last 7 days").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("in the last 7 days")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.usefixtures("_fails_silently")
def test_both_pages_are_for_everybody_with_something_on_them(
    console: Console, signed_in, browser, theme, width
):
    view = {"width": width, "height": 900}
    with browser.new_context(storage_state=signed_in, color_scheme=theme, viewport=view) as context:
        page = context.new_page()
        looked(console, page)
        found = []
        for path in (SUGGESTIONS, DISAGREEMENTS):
            page.goto(f"{console.url}{path}")
            found += findings(path, page)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append(f"{path} is too wide")
    assert found == []

"""A backtest as its author uses it: started on a page and run by a job worker."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.console import BEHIND, Console, a_session

pytestmark = pytest.mark.both_databases

NAME = "replayed-here"
RULE = pre("{args.command: {contains: rm}}", rule_id="no-rm")
RULES = document(RULE).replace("name: d", f"name: {NAME}")


def recorded(console: Console, *commands: str) -> str:
    """Post calls of a new agent and return its name once they are processed."""
    session = a_session()
    agent = f"agent-of-{session}"
    console.post(
        *(
            an_outcome(
                f"{session}-{number}",
                tool_name="shell",
                tool_args={"command": command},
                agent_id=agent,
                session_id=session,
            )
            for number, command in enumerate(commands)
        )
    )
    console.settled(f"agent-sessions/{session}")
    return agent


def posted(console: Console, path: str, body: Any) -> Any:
    status, answer = console.ask("POST", path, json.dumps(body).encode())
    assert status in (200, 201, 202), answer
    return answer


def test_a_version_can_be_replayed_over_recorded_calls(console: Console, admin: Page) -> None:
    agent = recorded(console, "ls", "rm -r /", "ls", "rm x")
    posted(console, "contracts", {"yaml": RULES})
    admin.goto(f"{console.url}/p/default/contracts/b/{NAME}/backtests/")
    admin.get_by_label("Agents").fill(agent)
    admin.get_by_role("button", name="Run backtest").click()
    # Without a reload: the page polls until the job is done.
    heading = admin.get_by_role("heading", level=1)
    expect(heading).to_have_text("2 of 4 calls would be newly denied", timeout=BEHIND)
    expect(admin.get_by_role("row", name="no-rm 2 0 0 0 0")).to_be_visible()
    admin.get_by_role("row", name="Newly denied shell").first.get_by_role("link").first.click()
    expect(admin).to_have_url(re.compile(f"/p/default/calls/{agent.removeprefix('agent-of-')}-1/"))


def test_the_unsaved_text_of_the_editor_can_be_replayed(console: Console, admin: Page) -> None:
    recorded(console, "rm", "ls")
    # A separate contract, as the panel displays its newest backtest, even from another test.
    name = f"{NAME}-unsaved"
    posted(console, "contracts", {"yaml": RULES.replace(f"name: {NAME}", f"name: {name}")})
    admin.goto(f"{console.url}/p/default/contracts/b/{name}/edit/")
    panel = admin.get_by_role("region", name="Backtest")
    panel.get_by_text("Calls to replay").click()
    panel.get_by_label("Period").select_option("Last 24 hours")
    panel.get_by_role("button", name="Run").click()
    # The result appears next to the editor with a link to the full page.
    expect(panel).to_contain_text("would be newly denied", timeout=BEHIND)
    expect(panel.get_by_label("Period")).to_have_value("1")
    assert admin.url.endswith("/edit/")
    panel.get_by_role("link", name="Full result").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("would be newly denied")
    expect(admin.get_by_text("an unsaved draft")).to_be_visible()


def test_a_custom_period_is_entered_in_the_readers_time_zone(console, signed_in, open_page) -> None:
    recorded(console, "ls")
    posted(console, "contracts", {"yaml": RULES})
    page = open_page(storage_state=signed_in, timezone_id="Asia/Kolkata")
    form = f"{console.url}/p/default/contracts/b/{NAME}/backtests/"
    page.goto(form)
    expect(page.get_by_label("From")).to_be_hidden()
    page.get_by_label("Period").select_option("Custom range…")
    expect(page.get_by_label("From your time, UTC+5:30")).to_be_visible()
    page.get_by_label("From").fill("2026-11-02T00:15")
    page.get_by_label("Until").fill("2026-11-03T00:15")
    page.get_by_role("button", name="Run backtest").click()
    page.wait_for_url(re.compile(r"/contracts/backtests/\d+/"))
    number = page.url.rstrip("/").rpartition("/")[2]
    answer = console.ask("GET", f"contracts/backtests/{number}")[1]
    assert answer["since"].startswith("2026-11-01T18:45:00")
    assert answer["until"].startswith("2026-11-02T18:45:00")
    page.get_by_role("link", name="Run again…").click()
    expect(page.get_by_label("From")).to_have_value("2026-11-02T00:15")
    expect(page.get_by_label("Until")).to_have_value("2026-11-03T00:15")


def test_a_list_can_be_filtered_by_period_in_the_readers_time_zone(
    console, signed_in, open_page
) -> None:
    recorded(console, "ls")
    page = open_page(storage_state=signed_in, timezone_id="Asia/Kolkata")
    page.goto(f"{console.url}/p/default/calls/?show=denied")
    page.locator("#scope summary").click()
    page.get_by_label("From").fill("2026-11-02T00:15")
    page.locator("#scope").get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("from=2026-11-01T18%3A45Z"))
    expect(page.locator("#scope summary")).to_contain_text("2 Nov 00:15")
    page.locator("#narrow summary").click()
    page.get_by_label("Contract").fill(NAME)
    page.locator("#narrow").get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile("contract="))
    assert "show=denied" in page.url
    page.get_by_role("link", name=re.compile(NAME)).click()
    expect(page).not_to_have_url(re.compile("contract="))
    expect(page).to_have_url(re.compile("from=2026-11-01T18%3A45Z"))

"""Story C, second half: a contract typo is fixed, tested, backtested, deployed and rolled back, in
forms and the editor, without a page of raw JSON. Each step is kept as a picture.
"""

import json
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.console import BEHIND, Console
from tests.journeys.test_writing_a_contract import write


@pytest.fixture
def name() -> str:
    return f"refunds-{uuid4().hex[:8]}"


@pytest.fixture
def keep(admin: Page, tmp_path: Path):
    number = count(1)

    def picture(what: str) -> None:
        admin.screenshot(path=tmp_path / f"{next(number)}-{what}.png", full_page=True)
        assert_no_raw_json(admin)

    return picture


def assert_no_raw_json(page: Page) -> None:
    """Assert that this is a page of the console without a field that contains JSON."""
    assert page.evaluate("document.contentType") == "text/html"
    shown = page.locator("textarea[name=args], textarea[name=principal], textarea[name=calls]")
    assert [field.is_visible() for field in shown.all()].count(True) == 0


@pytest.fixture
def deployed(console: Console, name: str) -> str:
    """Page of a contract that is deployed to production and has governed refunds."""
    rule = pre("{args.amount: {gt: 50}}", message="{args.amount} is too much", rule_id="large")
    text = document(rule).replace("name: d", f"name: {name}") + "\n"
    status, saved = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, saved
    live = json.dumps({"version": 1, "env": "production"}).encode()
    status, answer = console.ask("POST", f"contracts/{name}/deployments", live)
    assert status in (200, 201), answer
    common = {"tool_name": f"{name}-refund", "agent_id": name, "session_id": name}
    console.post(
        *(
            an_outcome(
                f"{name}-{amount}",
                tool_args={"amount": amount, "account": "A-1"},
                policy_version=saved["revision_hash"],
                **common,
            )
            for amount in (10, 20, 30, 40)
        )
    )
    console.settled(f"agent-sessions/{name}")
    return f"{console.url}/p/default/contracts/b/{name}/"


@pytest.mark.slow
def test_a_typo_is_fixed_tested_backtested_deployed_and_rolled_back(admin, deployed, name, keep):
    heading = admin.get_by_role("heading", level=1)
    admin.goto(deployed)
    admin.get_by_role("link", name="Edit", exact=True).click()
    write(admin, "gt: 50", "gtt: 25")
    expect(heading).to_contain_text("1 error to fix", use_inner_text=True)
    keep("typo")
    admin.locator("[data-problem]").get_by_role("button", name="Fix").first.click()
    expect(heading).to_contain_text("ready to save", use_inner_text=True)
    keep("fixed")

    panel = admin.get_by_role("region", name="Backtest")
    panel.get_by_role("button", name="Run").click()
    expect(panel).to_contain_text("2 of 4 calls would be newly denied", timeout=BEHIND)
    keep("backtested")
    admin.get_by_label("Change message").fill("Refunds over 25 need a person")
    admin.get_by_role("button", name="Save as v2").click()
    expect(admin.get_by_text(f"{name} v2 saved.")).to_be_visible()

    admin.goto(f"{deployed}tests/")
    recent = admin.get_by_role("row").filter(has_text="amount: 20")
    recent.get_by_role("button", name="Keep as test").click()
    expect(heading).to_contain_text("1 test passes", use_inner_text=True)
    keep("tested")

    admin.goto(deployed)
    admin.get_by_role("link", name="Deploy…").click()
    admin.get_by_role("button", name="Deploy v2 to production").click()
    expect(heading).to_have_text(f"{name} v2 is deployed to production", use_inner_text=True)
    keep("deployed")
    admin.get_by_role("button", name="Roll back to v1").click()
    expect(heading).to_have_text(f"{name} v1 is deployed to production", use_inner_text=True)
    keep("rolled-back")

"""A recorded call is tried, saved as a test with one click, and blocks a version that would allow
it."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.test_writing_a_contract import write


@pytest.fixture
def name() -> str:
    return f"refunds-{uuid4().hex[:8]}"


@pytest.fixture
def call(console, name: str) -> str:
    """URL of a call denied by the saved version."""
    rule = pre("{args.amount: {gt: 50}}", message="{args.amount} is too much", rule_id="large")
    limit = (
        "{id: few, type: session, limits: {max_tool_calls: 2}, then: {action: block, message: n}}"
    )
    text = document(rule, limit).replace("name: d", f"name: {name}") + "\n"
    status, answer = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, answer
    item = an_outcome(f"{name}-1", type="denied", reason="contract", details="no")
    args = {"amount": 75, "to": "a <b> & 'c'"}
    item |= {"tool_name": "refund", "tool_args": args, "policy_version": answer["revision_hash"]}
    console.post(item)
    console.settled(f"outcomes/{name}-1")
    return f"{console.url}/p/default/calls/{name}-1/"


def test_a_recorded_call_becomes_a_test_that_blocks_a_deployment(
    console, admin: Page, call: str, name: str
):
    heading = admin.get_by_role("heading", level=1)
    admin.goto(call)
    admin.get_by_role("button", name="Try in the playground").click()
    expect(heading).to_have_text(f"Try a call against {name}")
    tried = admin.locator("#tried")
    expect(tried.get_by_role("heading")).to_have_text("Denied by large.")
    expect(tried).to_contain_text("75 is too much")
    expect(tried.locator("[data-rule=large]")).to_contain_text("args.amount 75")

    page = admin.url
    admin.get_by_label("amount").fill("50")
    admin.get_by_role("button", name="Try call").click()
    expect(tried.get_by_role("heading")).to_have_text("Allowed. No rule matched.")
    assert admin.url == page  # only the result section is updated
    admin.get_by_label("Edit as text").check()
    admin.get_by_label("Arguments", exact=True).fill('{"amount": 50,\n}')
    admin.get_by_role("button", name="Try call").click()
    expect(tried).to_contain_text("Line 2, column 1")
    admin.get_by_label("Edit as text").uncheck()
    admin.get_by_role("button", name="Save as test…").click()
    expect(admin.get_by_label("amount")).to_have_value("50")
    admin.get_by_label("Name").fill("50 is still allowed")
    admin.get_by_label("Expected decision").select_option("allowed")
    admin.get_by_role("button", name="Save test").click()
    expect(heading).to_contain_text("1 test passes")

    admin.goto(call)
    admin.get_by_role("button", name="Save as test").click()
    expect(heading).to_contain_text("All 2 tests pass")
    row = admin.get_by_role("row").filter(has_text="refund 75: denied")
    expect(row).to_contain_text("denied")
    row.get_by_role("button", name="up").click()
    expect(admin.get_by_role("row").nth(1)).to_contain_text("refund 75: denied")

    admin.get_by_role("link", name="Session", exact=True).click()
    admin.get_by_label("Name").fill("the third refund")
    tool = admin.get_by_label("Tool of call 1")
    arguments = admin.get_by_label("Arguments of call 1")
    tool.fill("refund")
    tool.press("Tab")
    expect(arguments).to_have_value("amount=75\nto=a <b> & 'c'")  # of its last call
    arguments.fill("amount=1")
    admin.get_by_role("button", name="Add call").click()
    expect(admin.get_by_label("Name")).to_have_value("the third refund")
    admin.get_by_role("button", name="Remove call 2").click()
    expect(tool).to_have_value("refund")
    expect(arguments).to_have_value("amount=1")
    admin.get_by_label("Times of call 1").fill("3")
    admin.get_by_label("Stopped at call").fill("3")
    admin.get_by_role("button", name="Save test").click()
    expect(heading).to_contain_text("All 3 tests pass")

    admin.goto(f"{console.url}/p/default/contracts/b/{name}/edit/")
    panel = admin.locator("#cases-panel")
    expect(panel).to_contain_text("All 3 tests pass · newest version")
    write(admin, "gt: 50", "gt: 500")
    expect(panel).to_contain_text("1 of 3 tests fail · draft of")
    expect(panel).to_contain_text("got allowed")
    admin.get_by_role("button", name="Save as v2").click()
    expect(heading).not_to_contain_text("Draft of")

    admin.goto(f"{console.url}/p/default/contracts/b/{name}/deploy/?version=2&environment=staging")
    why = "The test “refund 75: denied” fails"
    expect(admin.get_by_role("main")).to_contain_text(why)
    body = json.dumps({"version": 2, "env": "staging"}).encode()
    status, answer = console.ask("POST", f"contracts/{name}/deployments", body)
    assert (status, answer["code"]) == (409, "tests_failing")


def test_without_javascript_a_call_can_be_tried(console, open_page, signed_in, call, name):
    plain = open_page(storage_state=signed_in, java_script_enabled=False)
    plain.goto(f"{console.url}/p/default/contracts/playground/?contract={name}")
    plain.get_by_label("Tool").fill("refund")
    plain.get_by_label("Arguments", exact=True).fill("amount=51")
    plain.get_by_role("button", name="Try call").click()
    expect(plain.locator("#tried").get_by_role("heading")).to_have_text("Denied by large.")
    expect(plain.get_by_label("amount")).to_have_value("51")

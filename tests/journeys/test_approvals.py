"""A pending call appears on the open page, is decided there, and the agent continues."""

import json
import re
import time
import uuid
from typing import Any

from playwright.sync_api import expect

from tests.items import an_event
from tests.journeys.console import EMAIL, Console, a_session
from tests.journeys.test_accessibility import findings, findings_in_both_themes

UNDO = 5.0  # seconds until a decision takes effect


def ask(console: Console, **changed: Any) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {
        "agent_id": f"bot-{uuid.uuid4().hex[:8]}",
        "tool_name": "payments_charge",
        "tool_args": {"account": "A-2091", "card_token": "tok-4711"},
        "message": "A charge over 1,000 takes a person",
        "timeout": 300,
    }
    body |= changed
    status, answer = console.ask("POST", "approvals", json.dumps(body).encode())
    assert status == 201, answer
    return answer["id"], body


def approval_of(console: Console, code: str) -> dict[str, Any]:
    status, answer = console.ask("GET", f"approvals/{code}")
    assert status == 200
    answered: dict[str, Any] = answer
    return answered


def test_an_approval_appears_on_the_open_page_and_is_approved_there(console, admin):
    admin.goto(f"{console.url}/p/default/approvals/")
    code, request = ask(console)
    article = admin.get_by_role("article").filter(has_text=request["agent_id"])
    expect(article).to_be_visible()
    expect(article).to_contain_text(re.compile(r"min \d+ s left"))
    expect(article).to_contain_text("masked")
    assert "tok-4711" not in admin.content()

    # Entered text is preserved while the page around it updates.
    reason = article.get_by_role("textbox", name="Reason")
    reason.fill("confirmed by phone")
    admin.locator("h1").click()
    event = an_event(
        "call_asked",
        f"call-{code}",
        agent_id=request["agent_id"],
        tool_name="payments_charge",
        tool_args={"account": "A-2091", "card_token": "[REDACTED]"},
        decision_name="large-charge-asks",
        timestamp=approval_of(console, code)["created_at"],
    )
    console.post(event, to="events")
    expect(article).to_contain_text("large-charge-asks")
    expect(reason).to_have_value("confirmed by phone")

    clicked = time.monotonic()
    article.get_by_role("button", name="Approve").click()
    decided = admin.get_by_role("status").filter(has_text=request["agent_id"])
    expect(decided).to_contain_text("Approved: A charge over 1,000 takes a person")
    expect(decided).to_contain_text("account A-2091")
    status = approval_of(console, code)["status"]
    assert status == "pending" or time.monotonic() - clicked > UNDO
    assert list(findings("approvals, to undo", admin)) == []
    admin.get_by_role("heading", level=1).hover()
    expect(decided).to_have_count(0)
    answer = approval_of(console, code)
    assert (answer["status"], answer["decided_by"]) == ("approved", EMAIL)
    assert answer["decision_reason"] == "confirmed by phone"
    row = admin.get_by_role("row").filter(has_text=request["agent_id"])  # without a reload
    expect(row).to_contain_text("large-charge-asks")
    expect(row).to_contain_text("confirmed by phone")


def test_the_countdown_causes_no_layout_shift_and_removes_the_expired_approval(console, admin):
    admin.goto(f"{console.url}/p/default/approvals/")
    code, request = ask(console, timeout=20)
    article = admin.get_by_role("article").filter(has_text=request["agent_id"])
    expect(article).to_contain_text(re.compile(r"\b[12]\d s left"))
    article.hover()  # hovering pauses updates of the list, except the countdown
    buttons = article.get_by_role("button", name="Approve")
    place = buttons.bounding_box()
    expect(article).to_contain_text(re.compile(r"\b[1-9] s left"))
    assert buttons.bounding_box() == place
    admin.get_by_role("heading", level=1).hover()
    expect(article).to_have_count(0)
    assert approval_of(console, code)["status"] == "timeout"


def test_a_call_can_be_rejected_on_its_session_page(console, admin):
    session = a_session()
    console.post(an_event("call_allowed", f"{session}-1", run_id=session), to="events")
    console.settled(f"agent-sessions/{session}")
    admin.goto(f"{console.url}/p/default/sessions/{session}/")
    code, _ = ask(console, session_id=session)
    waiting = admin.get_by_role("article").filter(has_text="payments_charge")
    expect(waiting).to_be_visible()
    waiting.get_by_role("button", name="Reject").click()
    expect(admin).to_have_url(re.compile(f"/sessions/{session}/"))
    expect(waiting).to_have_count(0)
    expect(admin.get_by_role("status").filter(has_text="Rejected")).to_have_count(1)
    admin.get_by_role("heading", level=1).hover()
    expect(admin.get_by_role("status").filter(has_text="Rejected")).to_have_count(0)
    assert approval_of(console, code)["status"] == "denied"


def test_without_javascript_arguments_can_be_opened_and_the_call_decided(
    console, signed_in, open_page
):
    code, request = ask(console)
    page = open_page(storage_state=signed_in, java_script_enabled=False)
    page.goto(f"{console.url}/p/default/approvals/")
    article = page.get_by_role("article").filter(has_text=request["agent_id"])
    article.get_by_role("button", name="Show full arguments").click()
    expect(page.locator("main")).to_contain_text("tok-4711")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("main")).to_contain_text("Approved: A charge over 1,000")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("main")).to_contain_text("is pending again.")
    assert approval_of(console, code)["status"] == "pending"
    page.goto(f"{console.url}/p/default/settings/audit/")
    expect(page.locator("main")).to_contain_text("arguments opened")


def test_the_decision_buttons_are_visible_on_a_phone_despite_long_arguments(
    console, signed_in, open_page
):
    long = {f"argument_{number}": "a long text that somebody wrote " * 30 for number in range(12)}
    _, request = ask(console, tool_args={"to": "A-2091"} | long, message="why " * 200)
    page = open_page(storage_state=signed_in, viewport={"width": 390, "height": 844})
    page.goto(f"{console.url}/p/default/approvals/")
    article = page.get_by_role("article").filter(has_text=request["agent_id"])
    article.evaluate("element => element.scrollIntoView()")
    expect(article.get_by_role("button", name="Approve")).to_be_in_viewport()
    article.get_by_text("show all 13 arguments").click()
    expect(article.get_by_text("argument_11", exact=True)).to_be_visible()


def test_several_approvals_can_be_selected_summed_and_approved_by_keyboard(console, admin):
    refunds = [
        ask(console, tool_args={"account": f"A-{n}", "amount": 100 + n, "currency": "EUR"})[0]
        for n in range(2)
    ]
    admin.goto(f"{console.url}/p/default/approvals/")
    bar = admin.get_by_role("form", name="Selected approvals")
    expect(bar).to_be_hidden()
    for code in refunds:
        admin.locator(f"#pick-{code}").focus()
        admin.keyboard.press("Space")
    expect(bar).to_contain_text("2 selected")
    expect(bar).to_contain_text("201.00 EUR in total")
    admin.wait_for_timeout(1_500)  # the list reloads and preserves the selection
    expect(bar).to_contain_text("2 selected")
    assert list(findings_in_both_themes("approvals, selected", admin)) == []
    bar.get_by_role("button", name="Approve 2").focus()
    admin.keyboard.press("Enter")
    expect(admin.locator("main")).to_contain_text("Approved 2 of 2.")
    admin.get_by_role("status").filter(has_text="A-1").get_by_role("button", name="Undo").click()
    expect(admin.locator("main")).to_contain_text("is pending again.")
    undone, stored = (approval_of(console, code) for code in reversed(refunds))
    assert (undone["status"], undone["decided_by"]) == ("pending", None)
    assert stored["status"] in ("pending", "approved")

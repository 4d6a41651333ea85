"""An operator at 3 a.m. opens a session and reads its cause on the first screen, on a desk and on a
phone. Five incidents, reported as agents report them. Each first screen is stored as a picture."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.console import Console
from tests.journeys.streams import new_key
from tests.journeys.test_accessibility import findings

LIMIT = (
    "{id: session-limits, type: session, limits: {max_tool_calls: 10}, "
    "then: {action: block, message: Ten calls are enough.}}"
)
NO_DELETING = pre(
    "{args.command: {contains: 'rm -rf'}}",
    rule_id="no-deleting",
    message="Use the clean target of the build instead.",
)
RAN = {"output": {"queued": True}, "elapsed_ms": 80}
SMTP = {"type": "failure", "error": "SMTP 451: try again later", "elapsed_ms": 380}
LOOP = {
    "type": "denied",
    "reason": "contract",
    "decision_name": "no-deleting",
    "details": "Use the clean target of the build instead.",
    "tool_args": {"command": "rm -rf build/"},
}
LOST = {"output": "Error: version conflict, expected 7", "tool_success": True}
LATE = {"type": "timeout", "deadline_s": 30, "elapsed_ms": 30_000}

SILENT_ERROR = re.compile("times: (Error: version conflict|The text begins like an error)")

# For each incident: the reported calls, in order, and the texts on the first screen.
INCIDENTS: dict[str, tuple[list[tuple[str, dict[str, Any]]], tuple[str, ...]]] = {
    "loop": (
        [("run_tests", RAN), *[("shell", LOOP)] * 16, ("run_tests", RAN), *[("shell", LOOP)] * 16],
        (
            "is stuck: shell denied 32 times by no-deleting",
            'command: "rm -rf build/"',
            "Use the clean target of the build instead.",
        ),
    ),
    "early": (
        [
            *[("send_reminder", RAN)] * 8,
            *[("send_reminder", SMTP)] * 2,
            *[("send_reminder", {"type": "denied", "reason": "limit"})] * 3,
        ],
        (
            "hit session-limits 2 calls early: 2 of 10 counted calls failed",
            "SMTP 451: try again later",
            "3 calls after the limit were denied.",
        ),
    ),
    "silent": (
        [("crm_lookup", RAN), *[("crm_write", LOST)] * 3],
        ("crm_write failed silently 3 times:", "The agent missed all"),
    ),
    "timeout": (
        [*[("bank_balance", RAN)] * 4, *[("bank_balance", LATE)] * 3],
        ("bank_balance timed out 3 times: deadline 30 s",),
    ),
    "denied": (
        [
            ("read_invoice", RAN),
            *(("shell", LOOP | {"tool_args": {"command": f"rm -rf {n}"}}) for n in range(4)),
        ],
        ("4 of 5 calls denied by no-deleting",),
    ),
}


@pytest.fixture(scope="module")
def place(console: Console) -> str:
    """Name of the environment, contract and agent, and prefix of its session ids."""
    name = f"n-{uuid4().hex[:6]}"
    text = document(LIMIT, NO_DELETING).replace("name: d", f"name: {name}")
    status, saved = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, saved
    key = new_key(console, env=name, name=name)
    for kind, (calls, _) in INCIDENTS.items():
        console.post(*_items(name, kind, calls, saved["revision_hash"]), key=key)
        console.settled(f"agent-sessions/{name}-{kind}?env={name}")
    return name


def _items(
    name: str, kind: str, calls: list[tuple[str, dict[str, Any]]], version: str
) -> Iterable[dict[str, Any]]:
    for number, (tool, fields) in enumerate(calls):
        usual: dict[str, Any] = {
            "tool_name": tool,
            "agent_id": name,
            "session_id": f"{name}-{kind}",
        }
        usual |= {"policy_version": version, "tool_args": {"number": number}}
        yield an_outcome(f"{name}-{kind}-{number}", **usual | fields)


def is_in_first_screen(page: Page, words: str) -> bool:
    result = page.locator("main").get_by_text(words).first
    expect(result).to_be_visible()
    box, size = result.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    fits = box["y"] + box["height"] <= size["height"] and box["x"] + box["width"] <= size["width"]
    return box["y"] >= 0 and fits


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", [(1280, 800), (390, 844)])
def test_the_first_screen_of_a_session_names_the_cause_of_five_incidents(
    console: Console,
    signed_in: Any,
    open_page: Callable[..., Page],
    place: str,
    screen: tuple[int, int],
    theme: str,
    tmp_path: Path,
):
    page = open_page(
        storage_state=signed_in,
        color_scheme=theme,
        viewport={"width": screen[0], "height": screen[1]},
    )
    for kind, (_, outcome) in INCIDENTS.items():
        page.goto(f"{console.url}/p/default/sessions/{place}-{kind}/?environment={place}")
        headline = page.get_by_role("heading", level=1)
        expect(headline).to_contain_text(outcome[0])
        assert len(headline.inner_text()) <= 90
        if kind == "silent":  # or the reason of a check that another journey has bound
            expect(headline).to_contain_text(SILENT_ERROR)
        assert [words for words in outcome if not is_in_first_screen(page, words)] == [], kind
        page.screenshot(path=tmp_path / f"{kind}-{screen[0]}-{theme}.png")
        assert list(findings(page.url, page)) == []


def test_a_loop_suggests_next_steps_and_its_link_opens_the_folded_row(
    console: Console, admin: Page, place: str
):
    admin.set_viewport_size({"width": 1280, "height": 800})
    admin.goto(f"{console.url}/p/default/sessions/{place}-loop/?environment={place}#loop")
    row = admin.locator("#loop")
    expect(row).to_contain_text("Denied 32 times")
    expect(row).to_contain_text("no-deleting")
    expect(row).to_be_in_viewport()
    steps = admin.get_by_role("region", name="What to do next").get_by_role("listitem")
    expect(steps).to_have_count(3)
    expect(steps.nth(2)).to_contain_text("With 10, this session ends at call 10, 24 calls earlier.")
    expect(steps.nth(2).get_by_role("link", name="Backtest with 10")).to_be_visible()
    row.get_by_role("link", name="Show 32").click()
    expect(admin.locator("#call-rows tr[data-row]")).to_have_count(32)
    admin.locator("#calls").get_by_role("link", name="all calls instead").click()
    expect(admin.locator("#loop")).to_be_visible()
    admin.get_by_role("link", name=f"Stop {place}…").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text(f"Stop {place}")

"""From a post to the screen: processed by a worker and displayed without a page load."""

import json
import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.items import an_event, an_outcome
from tests.journeys.console import KEY, a_session

pytestmark = pytest.mark.both_databases

GUIDE_ROWS = [
    *["Executed, success"] * 4,
    *["Executed, failure"] * 3,
    "Executed, success",
    "Artifact, success",
    "Timeout, failure",
    "Failure, failure",
    "Denied, duplicate",
    "Denied, blocked",
    "Denied, pre_hook",
    "Denied, validation",
    "Denied, deadline",
    "Denied, write_denied",
]
GUIDE = Path(__file__).resolve().parent.parent.parent / "docs/connect.md"


def test_a_new_session_appears_on_the_open_list(console, admin):
    session = a_session()
    began = time.monotonic()
    console.post(an_outcome(f"{session}-1", session_id=session, agent_id="billing-bot", output=1))
    expect(admin.get_by_role("link", name=session)).to_be_visible()
    print(f"seen after {time.monotonic() - began:.2f} s")  # noqa: T201 - the figure is of interest
    row = admin.get_by_role("row").filter(has_text=session)
    expect(row).to_contain_text("billing-bot")


def test_a_silent_failure_appears_on_the_open_session_page(console, admin):
    session = a_session()
    console.post(an_outcome(f"{session}-1", session_id=session, output={"rows": 3}))
    console.settled(f"agent-sessions/{session}")
    admin.goto(f"{console.url}/p/default/sessions/{session}/")
    expect(admin.locator("#calls")).to_contain_text("http_get")
    console.post(
        an_outcome(
            f"{session}-2",
            session_id=session,
            tool_name="query_users",
            output="Error: no such table",
            tool_success=True,
        )
    )
    row = admin.get_by_role("row").filter(has_text="query_users")
    expect(row).to_be_visible()
    expect(row).to_contain_text(re.compile("fail", re.I))


def test_an_allowed_call_is_running_and_then_has_its_outcome(console, admin):
    session = a_session()
    console.post(an_event("call_allowed", f"{session}-1", run_id=session), to="events")
    console.settled(f"agent-sessions/{session}")
    admin.goto(f"{console.url}/p/default/sessions/{session}/")
    expect(admin.get_by_role("row").filter(has_text="http_get")).to_be_visible()
    blocked = an_event(
        "call_blocked",
        f"{session}-1",
        run_id=session,
        reason="Not on a Friday",
        decision_source="yaml_precondition",
        decision_name="no-deletes",
    )
    console.post(blocked, to="events")
    expect(admin.get_by_role("row").filter(has_text="http_get")).to_contain_text(
        re.compile("contract|no-deletes|Not on a Friday")
    )


def test_a_call_opens_in_a_drawer_with_what_the_model_saw(console, admin):
    session = a_session()
    denied = {"type": "denied", "reason": "duplicate", "tool_args": {"q": "the same again"}}
    console.post(an_outcome(f"{session}-1", session_id=session, **denied))
    console.settled(f"agent-sessions/{session}")
    address = f"{console.url}/p/default/sessions/{session}/"
    admin.goto(address)
    admin.get_by_role("link", name="http_get", exact=True).click()
    drawer = admin.locator("#drawer")
    expect(drawer).to_contain_text("duplicate_tool_call")
    expect(drawer).to_contain_text("the same again")
    # The list stays below the drawer. The URL is that of the call page, with the same content.
    expect(admin.locator("#calls tr[aria-selected=true]")).to_be_visible()
    expect(admin).to_have_url(re.compile(f"/p/default/calls/{session}-1/"))
    admin.reload()
    expect(drawer).to_have_count(0)
    expect(admin.locator("main")).to_contain_text("duplicate_tool_call")


def test_the_docs_example_run_twice_creates_two_sessions_with_every_outcome(console, admin):
    example = next(
        block
        for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
        if "urllib" in block
    )
    assert len(example.splitlines()) == 8
    example = re.sub(r'"edk_production_…"', repr(KEY), example)
    example = example.replace("http://127.0.0.1:8000", console.url)
    pages = set()
    for _ in range(2):
        answered, address = run(example)
        assert json.loads(answered)["accepted"] == 17
        assert json.loads(answered)["rejected"] == []
        pages.add(address)
    assert len(pages) == 2
    counts = console.settled(f"agent-sessions/{address.split('/')[-2]}")["counts"]
    assert (counts["executions"], counts["successes"], counts["denied"]) == (11, 6, 6)
    admin.goto(address)
    rows = admin.locator("#calls tbody tr")
    expect(rows).to_have_count(17)
    for number, words in enumerate(GUIDE_ROWS):
        for word in words.split(", "):
            expect(rows.nth(16 - number)).to_contain_text(word)


def run(example: str) -> list[str]:
    """Output of the program."""
    listed: list[str] = []
    exec(example, {"print": lambda *words: listed.extend(words)})  # noqa: S102 - as its readers do
    return listed

"""An artifact is inspected: from the list to one of its lines and the call that read it again."""

from datetime import UTC, datetime
from hashlib import sha256

from playwright.sync_api import Page, expect

from tests.journeys.console import Console, a_session


def test_an_artifact_can_be_paged_viewed_in_another_mode_and_traced_to_its_calls(
    console: Console, admin: Page
):
    session, now = a_session(), datetime.now(UTC).isoformat()
    table = "week,orders\n" + "\n".join(f"{n},{n * n} of {session}" for n in range(1, 901))
    name = sha256(table.encode()).hexdigest()
    common = {"session_id": session, "agent_id": session, "timestamp": now}
    console.post(
        {"type": "execution_result", "call_id": f"{session}-1", "tool_name": "run_query",
         "output": table} | common,
        {"type": "execution_result", "call_id": f"{session}-2", "tool_name": "read_file",
         "tool_args": {"artifact_reference": name, "lines": "1-40"}, "output": "week"} | common,
    )  # fmt: skip
    console.settled(f"agent-sessions/{session}?env=production")

    admin.goto(f"{console.url}/p/default/artifacts/?agent={session}")
    expect(admin.get_by_role("heading", level=1)).to_contain_text("1 re-read")
    admin.locator("#artifact-rows .row-link").first.press("Enter")
    piece = admin.locator("#piece")
    expect(piece.get_by_text("From line 1 of 901")).to_be_visible()
    piece.get_by_role("link", name="Table").press("Enter")
    expect(piece.get_by_role("columnheader", name="orders")).to_be_visible()
    piece.get_by_role("link", name="Next").press("Enter")
    expect(piece.get_by_text(f"10000 of {session}", exact=True)).to_be_visible()
    piece.get_by_role("textbox", name="Line").fill("900")
    piece.get_by_role("textbox", name="Line").press("Enter")
    expect(piece.get_by_text("From line 900 of 901")).to_be_visible()
    admin.go_back()
    expect(piece.get_by_text("From line 101 of 901")).to_be_visible()
    admin.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(admin.get_by_role("region", name="Referenced by")).to_contain_text("No contract")
    admin.get_by_role("region", name="Re-read").get_by_role("link", name="read_file").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("read_file")

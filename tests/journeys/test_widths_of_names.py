"""Pages fit the window, however long the names on them are."""

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.console import a_session
from tests.journeys.streams import deploy
from tests.journeys.test_widths import OUTSIDE

AGENT = "an-agent-whose-name-was-made-by-a-program-" + "0f3a" * 9
SESSION = f"{a_session()}-{a_session()}"
BUNDLE = "a-contract-with-a-rather-long-name-for-what-runs-every-night"
UNBROKEN = "urn-" + "abcdefgh" * 24  # as programs name things: without any break opportunity
COUNTER = quote(f"s:{SESSION}:tool:{'look_up_' * 12}", safe="")
PAGES = (
    "agents/",
    "tools/",
    f"agents/{AGENT}/",
    "sessions/",
    f"sessions/{SESSION}/",
    "calls/",
    "alerts/",
    f"stop/?environment=production&agent={AGENT}",
    f"sessions/{UNBROKEN}/",
    f"sessions/{UNBROKEN}/?show=denied",
    f"calls/{UNBROKEN}/",
    f"calls/denied-{SESSION}/",
    f"compare-sessions/?of={UNBROKEN}&with={SESSION}",
    f"compare-sessions/?of={UNBROKEN}",
    "denials/",
    f"tools/{UNBROKEN}/",
)


@pytest.fixture(scope="module")
def _long_names(console):
    deploy(console, BUNDLE)
    status, served = console.ask("GET", f"rulesets/{BUNDLE}/current")
    assert status == 200
    about = {"agent_id": AGENT, "policy_version": served["revision_hash"], "session_id": SESSION}
    console.post(*[an_outcome(f"{SESSION}-{number}", **about) for number in range(3)])
    # One with a usual name has a value in every column.
    usual = about | {"agent_id": "research-bot", "session_id": f"{SESSION}-usual"}
    for hours in (20, 30):
        at = {"timestamp": (datetime.now(UTC) - timedelta(hours=hours)).isoformat()}
        console.post(
            *[an_outcome(output={"ok": True}, elapsed_ms=618.0, **usual, **at) for _ in range(120)],
            *[an_outcome(type="denied", reason="contract", **usual, **at) for _ in range(12)],
        )
    unbroken = {"session_id": UNBROKEN, "turn_id": UNBROKEN, "tool_name": UNBROKEN}
    denied = {"type": "denied", "reason": UNBROKEN, "details": UNBROKEN, "output": None}
    console.post(
        an_outcome(UNBROKEN, **unbroken),
        an_outcome(f"failed-{SESSION}", **unbroken, type="failure", error=UNBROKEN, output=None),
        an_outcome(f"denied-{SESSION}", **unbroken | denied),
        an_outcome(f"large-{SESSION}", **unbroken | {"output": UNBROKEN * 100}),
    )
    console.settled(f"outcomes/{SESSION}-1")
    console.settled(f"outcomes/large-{SESSION}")
    assert console.ask("POST", f"sessions/{COUNTER}/increment", b'{"amount": 2}')[0] == 200
    assert console.ask("DELETE", f"sessions/{COUNTER}")[0] == 403


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.usefixtures("_long_names")
def test_nothing_overflows_on_pages_with_long_names(console, signed_in, open_page, width):
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": 900})
    listed = []
    for path in PAGES:
        assert page.goto(f"{console.url}/p/default/{path}").status == 200
        # Including the sections that load by themselves.
        expect(page.locator("main [hx-trigger=load]")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            listed.append(f"{path} is {wide} pixels wide")
        listed += [f"{path}: {part}" for part in page.evaluate(OUTSIDE)]
    assert "\n".join(listed) == ""

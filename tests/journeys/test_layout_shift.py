"""Contract pages do not shift while their sections load."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome

MOST = 0.02
# From the first paint on, except within half a second of a key press or click.
WATCH = """
window.moved = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      moved.push([entry.value, entry.sources.map(({ node, previousRect: a, currentRect: b }) =>
        `${node?.nodeName} ${node?.className} from ${a.y} to ${b.y}, high ${b.height}`)]);
}).observe({ type: "layout-shift", buffered: true });
"""
AMOUNT = "{args.amount: {gt: 50}}"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def name(console) -> str:
    """A contract with versions, tests, agents that run it, and a deployment that can be rolled
    back."""
    name = f"still-{uuid4().hex[:8]}"

    def sent(path: str, **body: object) -> dict[str, object]:
        status, outcome = console.ask("POST", path, json.dumps(body).encode())
        assert status in (200, 201, 202), outcome
        answer: dict[str, object] = outcome
        return answer

    for message in ("too much", "much too much"):
        rules = (pre(AMOUNT, message=message, rule_id="large"), pre(AMOUNT, rule_id="larger"))
        text = document(*rules).replace("name: d", f"name: {name}")
        version = sent("contracts", yaml=text)
        sent(f"contracts/{name}/deployments", version=version["version"], env="production")
    calls = [
        an_outcome(
            f"{name}-{number}",
            agent_id=f"{name}-bot-{number % 3}",
            tool_name="pay",
            tool_args={"amount": number},
            policy_version=version["revision_hash"],
        )
        for number in range(9)
    ]
    console.post(*calls)
    console.settled(f"outcomes/{name}-8")
    expects = {"action": "block"}
    for number in (60, 70):
        call = {"tool": "pay", "args": {"amount": number}}
        sent(f"contracts/{name}/cases", name=f"{number} is denied", call=call, expects=expects)
    return name


PAGES = {
    "contract": ("contracts/b/{name}/", "Last seen"),
    "editor": ("contracts/b/{name}/edit/", "All 2 tests pass"),
    "deploy": ("contracts/b/{name}/deploy/?version=1&environment=production", "Last seen"),
    "deployment": ("", "Last seen"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", PAGES)
def test_parts_loaded_later_cause_no_layout_shift(console, signed_in, open_page, name, part, size):
    width, height = SIZES[size]
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": height})
    page.add_init_script(WATCH)
    path, comes = PAGES[part]
    if not path:
        page.goto(f"{console.url}/p/default/contracts/b/{name}/")
        row = page.get_by_role("row").filter(has_text="production")
        path = str(row.get_by_role("link", name="production").get_attribute("href"))
    else:
        path = f"/p/default/{path.format(name=name)}"
    page.goto(f"{console.url}{path}")
    expect(page.get_by_text(comes).first).to_be_visible()
    expect(page.locator("[hx-trigger=load]")).to_have_count(0)
    page.wait_for_timeout(800)  # anything loaded after the section
    moved = page.evaluate("moved")
    assert sum(value for value, _ in moved) <= MOST, moved

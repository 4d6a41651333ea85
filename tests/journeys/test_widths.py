"""Settings pages fit the window and their cards, however long the names are."""

import json

import pytest

from tests.journeys.console import EMAIL

PAGES = (
    "",
    "keys/",
    "members/",
    "audit/",
    "retention/",
    "signing-key/",
    "invalid-events/",
    "failed-batches/",
)
NAMES = (
    "ci",
    "a-key-with-a-rather-long-name-for-what-runs-every-night",
    "billing bot in production",
)
PLACES = ("production", "staging", "a-long-name-of-an-environment")
# Elements that overflow their card by more than rounding; not those scrolled in their own
# frame or visible only to screen readers.
OUTSIDE = """
() => [...document.querySelectorAll(".card")].flatMap((card) =>
  [...card.querySelectorAll("table, td, p, code, a, button")]
    .filter((part) => !part.closest(".unseen, pre, .scrolls, .chart-table") && part.offsetWidth
      && part.getBoundingClientRect().right > card.getBoundingClientRect().right + 0.5)
    .map((part) => `${part.tagName} ${part.textContent.trim().slice(0, 40)}`))
"""


@pytest.fixture(scope="module")
def _long_names(console):
    for name in NAMES:
        for place in PLACES:
            fields = {"name": name, "env": place, "scopes": ["agent", "ingest", "read"]}
            fields["expires"] = "2199-01-01T00:00:00Z"
            assert console.ask("POST", "keys", json.dumps(fields).encode())[0] == 201
    contract = (
        "apiVersion: edictum/v1\nkind: ContractBundle\n"
        "metadata: {name: a-contract-with-a-rather-long-name}\ndefaults: {mode: enforce}\n"
        "contracts:\n  - id: limits\n    type: session\n    limits: {max_tool_calls: 50}\n"
        "    then: {effect: deny, message: no more}\n"
    )
    saved = {"yaml": contract, "message": "limits every session to fifty calls"}
    assert console.ask("POST", "contracts", json.dumps(saved).encode())[0] in (200, 201)
    console.post({"type": "odd"}, {"type": "denied", "call_id": "c" * 2_000, "tool_name": "t"})


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.usefixtures("_long_names")
def test_nothing_overflows_on_settings_pages(console, signed_in, open_page, width):
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": 900})
    listed = []
    for path in PAGES:
        page.goto(f"{console.url}/p/default/settings/{path}")
        assert EMAIL in page.content()
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            listed.append(f"{path} is {wide} pixels wide")
        listed += [f"{path}: {part}" for part in page.evaluate(OUTSIDE)]
    assert listed == []

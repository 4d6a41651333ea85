"""Contract pages in a browser: figures load by themselves, or behind a link without JavaScript."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.items import an_outcome

TEMPLATES = Path(__file__).parents[2] / "governance" / "contracts" / "contract_templates"
TEMPLATE = TEMPLATES / "payments-agent.yaml"
NAME = f"seen-{uuid4().hex[:8]}"
TEXT = TEMPLATE.read_text().replace("name: payments-agent", f"name: {NAME}")
OTHER = TEXT.replace("{gt: 500}", "{gt: 250}")


@pytest.fixture(scope="module")
def _a_contract_and_agents(console):
    for text in (TEXT, OTHER):
        saved = json.dumps({"yaml": text, "message": "Why"}).encode()
        assert console.ask("POST", "contracts", saved)[0] in (200, 201)
    live = json.dumps({"version": 1, "env": "production"}).encode()
    assert console.ask("POST", f"contracts/{NAME}/deployments", live)[0] in (200, 201)
    revision = console.ask("GET", f"contracts/{NAME}/versions/1")[1]["revision_hash"]
    console.post(
        an_outcome(f"{NAME}-1", agent_id=f"{NAME}-bot", policy_version=revision),
        an_outcome(
            f"{NAME}-2",
            agent_id=f"{NAME}-bot",
            policy_version=revision,
            type="denied",
            reason="contract",
        ),
    )
    console.settled("outcomes")


pytestmark = pytest.mark.usefixtures("_a_contract_and_agents")


def test_agent_and_call_figures_load_into_the_page(console, admin):
    admin.goto(f"{console.url}/p/default/contracts/")
    row = admin.locator("tr", has_text=NAME)
    expect(row.locator("[id^=agents-of-]")).to_have_text("1")
    row.get_by_role("link", name=NAME).click()
    expect(admin.get_by_role("heading", level=1)).to_have_text(
        f"{NAME} v2 isn't deployed, production runs v1"
    )
    expect(admin.locator("#contract-denied")).to_have_text("1 call vs 0")
    expect(admin.locator("[id^=taken-]")).to_have_text("1 of 1 agent")
    expect(admin.locator("#contract-agents")).to_contain_text("1 of 1 agent up to date")
    expect(admin.get_by_role("link", name=f"{NAME}-bot")).to_be_visible()


def test_two_versions_can_be_selected_and_compared(console, admin):
    admin.goto(f"{console.url}/p/default/contracts/b/{NAME}/")
    admin.get_by_role("navigation", name="Contract").get_by_role("link", name="Compare").click()
    admin.get_by_label("From").select_option("2")
    admin.get_by_label("to", exact=True).select_option("1")
    admin.get_by_role("button", name="Compare").click()
    expect(admin.get_by_role("heading", level=1)).to_have_text(f"{NAME} v2 → v1: 1 change")
    expect(admin.locator(".meaning li")).to_have_count(1)
    expect(admin.locator(".line.removed")).to_contain_text("250")
    expect(admin.locator(".line.added")).to_contain_text("500")


def test_a_rule_links_to_its_line(console, admin):
    admin.goto(f"{console.url}/p/default/contracts/b/{NAME}/text/")
    admin.get_by_role("link", name="large-payments-are-asked").click()
    expect(admin.locator(".line:target")).to_contain_text("- id: large-payments-are-asked")


def test_without_javascript_figures_are_behind_a_link(console, browser, signed_in):
    with browser.new_context(storage_state=signed_in, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{console.url}/p/default/contracts/b/{NAME}/")
        page.get_by_role("link", name="Count").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(
            f"{NAME}: 1 agent, up to date. 1 call denied in 24 h, vs 0."
        )
        page.goto(f"{console.url}/p/default/contracts/new/")
        page.locator("li", has_text="Data analyst").get_by_role("button").click()
        expect(page.get_by_role("textbox", name="Contract YAML")).to_have_value(
            (TEMPLATE.parent / "data-analyst.yaml").read_text()
        )

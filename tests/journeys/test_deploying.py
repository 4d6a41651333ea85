"""A contract is deployed in the browser, a real agent runs it, and one click rolls it back. If an
environment requires a second person, one requests and another decides."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.journeys.console import Console
from tests.journeys.streams import NEW, save
from tests.journeys.test_accessibility import findings
from tests.journeys.test_stream_processes import an_agent, until

pytestmark = pytest.mark.both_databases

ALLOWS = NEW.replace("contains: rm", "contains: mkfs")
COMMAND = "{args.command: {contains: rm}}"


@pytest.fixture
def name() -> str:
    return f"ops-{uuid4().hex[:8]}"


def sent(console: Console, method: str, path: str, **body: object) -> dict[str, object]:
    status, outcome = console.ask(method, path, json.dumps(body).encode())
    assert status in (200, 201), outcome
    answer: dict[str, object] = outcome
    return answer


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words, use_inner_text=True)


def begin_to_deploy(admin: Page, console: Console, name: str, environment: str) -> None:
    admin.goto(f"{console.url}/p/default/contracts/b/{name}/")
    admin.get_by_role("link", name="Deploy…").click()
    admin.get_by_label("Environment", exact=True).fill(environment)
    admin.get_by_role("button", name="Show plan").click()


def test_a_real_agent_is_denied_after_a_deployment_and_allowed_after_the_rollback(
    console: Console, admin: Page, name: str
) -> None:
    first = save(console, name, dialect=ALLOWS)
    sent(console, "POST", f"contracts/{name}/deployments", version=first, env="production")
    with an_agent(console, AGENT=name, BUNDLE=name) as denied_for:
        assert denied_for() == "not denied"
        save(console, name, "no removing")
        begin_to_deploy(admin, console, name, "production")
        heading(admin, f"Deploy {name} v2 to production?")
        expect(admin.get_by_role("main")).to_contain_text("Changes v1 → v2")
        expect(admin.locator("#taking")).to_contain_text(name)
        admin.get_by_role("button", name="Deploy v2 to production").click()
        heading(admin, f"{name} v2 is deployed to production")
        assert denied_for() == "no removing"
        assert list(findings("deployment", admin)) == []
        expect(admin.get_by_role("row").filter(has_text=name)).to_contain_text("up to date")

        back = admin.get_by_role("region", name="Roll back to v1")
        expect(back).to_contain_text("no removing")
        admin.get_by_role("button", name="Roll back to v1").click()
        heading(admin, f"{name} v1 is deployed to production")
        assert denied_for() == "not denied"
        expect(admin.get_by_role("row").filter(has_text=name)).to_contain_text("up to date")


def test_a_second_person_approves_or_rejects_a_deployment_request(
    console: Console, admin: Page, name: str
) -> None:
    place = f"vault-{name}"
    sent(console, "PUT", f"environments/{place}/requirements", second_person=True)
    save(console, name)
    request = sent(console, "POST", f"contracts/{name}/deployment-requests", version=1, env=place)
    begin_to_deploy(admin, console, name, place)
    heading(admin, f"{name} v1 needs approval for {place}")
    admin.get_by_role("link", name="Open request").click()
    expect(admin.get_by_role("button", name="Approve and deploy v1")).to_be_visible()
    assert list(findings("request", admin)) == []
    admin.get_by_role("button", name="Approve and deploy v1").click()
    heading(admin, f"{name} v1 is deployed to {place}")
    expect(admin.get_by_role("main")).to_contain_text("approved by admin@example.test")
    result = sent(console, "GET", f"deployment-requests/{request['id']}")
    assert result["status"] == "approved"

    save(console, name, "another")
    begin_to_deploy(admin, console, name, place)
    heading(admin, f"Request approval to deploy {name} v2 to {place}?")
    admin.get_by_role("button", name="Request approval").click()
    expect(admin.get_by_role("main")).to_contain_text(
        "Requesters can't approve their own deployments."
    )
    admin.get_by_role("button", name="Withdraw request").click()
    expect(admin.get_by_role("heading", level=1)).to_contain_text("withdrew the request")


def test_would_be_denials_are_reviewed_and_then_enforced(
    console: Console, admin: Page, name: str
) -> None:
    text = document(pre(COMMAND, rule_id="no-rm"), mode="observe").replace(
        "name: d", f"name: {name}"
    )
    sent(console, "POST", "contracts", yaml=text)
    sent(console, "POST", f"contracts/{name}/deployments", version=1, env="production")
    with an_agent(console, AGENT=name, BUNDLE=name) as denied_for:
        assert denied_for() == "not denied"
        console.settled("outcomes")
        admin.goto(f"{console.url}/p/default/contracts/b/{name}/would-deny/?environment=production")
        row = admin.get_by_role("row").filter(has_text="no-rm").last
        until(lambda: row.count() or not admin.reload())
        assert list(findings("would have been denied", admin)) == []
        row.get_by_role("button", name="Mark reviewed").click()
        expect(admin.get_by_role("main")).to_contain_text("admin@example.test")
        admin.get_by_role("link", name="Enforce…").click()
        heading(admin, f"Enforce {name} v1?")
        assert list(findings("enforce", admin)) == []
        admin.get_by_role("button", name="Save enforcing version").click()
        heading(admin, f"Deploy {name} v2 to production?")
        expect(admin.get_by_role("main")).to_contain_text("enforce")
        admin.get_by_role("button", name="Deploy v2 to production").click()
        heading(admin, f"{name} v2 is deployed to production")
        assert denied_for() == "no"

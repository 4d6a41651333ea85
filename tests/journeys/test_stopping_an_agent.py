"""An agent with an open stream is stopped on its page, confirms the stop, and continues once it is
lifted."""

import pytest
from playwright.sync_api import expect

from governance.delivery.domain import STOPPED_HASHES
from governance.texts.dialect import Dialect
from tests.items import an_outcome
from tests.journeys.console import a_session
from tests.journeys.streams import deploy, listening

pytestmark = pytest.mark.both_databases


def test_an_operator_stops_an_agent_sees_the_confirmation_and_lifts_the_stop(console, admin):
    agent = f"bot-{a_session()}"
    name = agent.lower()
    deploy(console, name)
    query = {"env": "production", "bundle_name": name}
    with listening(console, agent=agent, query=query) as stream:
        served = stream.next("contract_update")
        item = an_outcome(f"{agent}-1", agent_id=agent, policy_version=served["revision_hash"])
        console.post(item)
        console.settled(f"outcomes/{agent}-1")

        admin.goto(f"{console.url}/p/default/agents/?q={agent}")
        row = admin.get_by_role("row").filter(has_text=agent)
        expect(row).to_contain_text("connected")
        expect(row).to_contain_text("up to date")
        row.get_by_role("link", name=agent, exact=True).click()
        admin.get_by_role("link", name="Stop this agent").click()
        expect(admin.get_by_role("heading", level=1)).to_have_text(f"Stop {agent} in production?")
        expect(admin.get_by_role("main")).to_contain_text("Connected now.")
        admin.get_by_role("button", name=f"Stop {agent}").click()

        assert stream.next("contract_update")["revision_hash"] == STOPPED_HASHES[Dialect.NEW]
        heading = admin.get_by_role("heading", level=1)
        expect(heading).to_have_text(f"{agent} in production: stopped")
        expect(admin.get_by_role("row").filter(has_text=agent)).to_contain_text("confirmed")
        stop = admin.url

        admin.goto(f"{console.url}/p/default/agents/{agent}/")
        expect(heading).to_have_text(f"{agent} is stopped, every call is blocked")
        admin.goto(stop)
        admin.get_by_role("link", name="Lift stop").click()
        admin.get_by_role("button", name="Lift stop").click()
        expect(heading).to_have_text(f"{agent} in production: stop lifted")
        assert stream.next("contract_update")["revision_hash"] == served["revision_hash"]
    admin.goto(f"{console.url}/p/default/agents/?q={agent}")
    expect(row).to_contain_text("up to date")


def test_a_polling_agent_confirms_the_stop_when_it_fetches_it(console, admin):
    """TypeScript clients work this way: the stream only notifies them that there is an update."""
    agent = f"bot-{a_session()}"
    name = agent.lower()
    deploy(console, name)
    document = f"rulesets/{name}/current"
    row = admin.get_by_role("row").filter(has_text=agent)
    heading = admin.get_by_role("heading", level=1)

    def stop() -> None:
        admin.goto(f"{console.url}/p/default/stop/?environment=production&agent={agent}")
        admin.get_by_role("button", name=f"Stop {agent}").click()
        expect(row).to_contain_text("sent; applies on its next fetch")

    with listening(console, agent=agent) as stream:
        assert stream.next("ruleset_updated")["revision_hash"]
        stop()
        served = console.ask("GET", document, agent=agent)[1]
        assert served["revision_hash"] == STOPPED_HASHES[Dialect.NEW]
        expect(heading).to_have_text(f"{agent} in production: stopped")
        expect(row).to_contain_text("confirmed")
        admin.get_by_role("link", name="Lift stop").click()
        admin.get_by_role("button", name="Lift stop").click()
        expect(heading).to_contain_text("stop lifted")
        assert not console.ask("GET", document, agent=agent)[1]["stopped"]
        stop()

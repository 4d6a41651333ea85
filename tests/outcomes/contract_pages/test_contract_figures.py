"""Agents and calls on the contract pages."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from governance.delivery import news
from tests.governance.serving import TEXT, deployed
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of

QUERIES = 12
OTHER = TEXT + "\n# another\n"


@pytest.fixture(autouse=True)
def _nobody_connected(monkeypatch):
    monkeypatch.setattr(news, "connected", lambda _: [])


def part(pages: Pages, path: str) -> str:
    """Section of a page as htmx fetches it."""
    return text_of(
        pages.client.get(f"{pages.base}/contracts/{path}", headers={"HX-Request": "true"})
    )


def test_the_agents_of_a_contract_are_listed_with_the_rollout(project, agent, pages):
    old = deployed(project)
    agent.post(an_item(agent_id="late", policy_version=old.revision_hash))
    new = deployed(project, OTHER)
    agent.post(an_item(agent_id="bot", policy_version=new.revision_hash))
    text = part(pages, "figures/?of=d")
    assert "1 of 2 agents up to date" in text
    assert "late production d v1 outdated v2 is deployed" in text
    assert "1 of 2 agents" in text
    assert "1 of 2 agents up to date, 1 on v1" in text


def test_a_complete_rollout_is_one_sentence(project, agent, pages):
    version = deployed(project)
    agent.post(an_item(agent_id="bot", policy_version=version.revision_hash))
    assert "1 of 1 agent up to date" in part(pages, "figures/?of=d")
    agent.post(an_item(agent_id="other", policy_version=version.revision_hash))
    assert "2 of 2 agents up to date" in part(pages, "figures/?of=d")


def test_a_version_links_to_its_yaml_on_every_page(project, agent, pages):
    version = deployed(project)
    agent.post(an_item(agent_id="bot", call_id="c-1", policy_version=version.revision_hash))
    link = f'href="{pages.base}/contracts/b/d/versions/1/"'
    for path in ("agents/", "sessions/s-1/", "calls/c-1/"):
        assert link in pages.get(path).content.decode(), path


def test_denials_of_the_last_day_are_counted(project, agent, pages):
    version = deployed(project)
    other = deployed(project, name="other")
    yesterday = (datetime.now(UTC) - timedelta(hours=30)).isoformat()
    ahead = (datetime.now(UTC) + timedelta(hours=2)).isoformat()  # by the agent's clock
    agent.post(
        a_denied_item(policy_version=version.revision_hash),
        a_denied_item(policy_version=version.revision_hash),
        a_denied_item(policy_version=other.revision_hash),
        an_item(policy_version=version.revision_hash),
        a_denied_item(policy_version=version.revision_hash, timestamp=yesterday),
        a_denied_item(policy_version=version.revision_hash, timestamp="2026-01-01T00:00:00Z"),
        a_denied_item(policy_version=version.revision_hash, timestamp=ahead),
    )
    assert "2 calls vs 1" in part(pages, "figures/?of=d")
    assert "d 1 2 1 other 0 1 0" in pages.text("contracts/agents/")


def test_a_contract_without_agents_has_an_empty_state(project, pages):
    deployed(project)
    text = part(pages, "figures/?of=d")
    assert "no agents" in text
    assert "none" in text
    assert "no agents" in text


def test_contract_figures_are_also_a_separate_page(project, agent, pages):
    version = deployed(project)
    agent.post(an_item(agent_id="bot", policy_version=version.revision_hash))
    text = pages.text("contracts/figures/", of="d")
    assert "d : 1 agent, up to date. 0 calls denied in 24 h, vs 0." in text
    assert "Agents by contract " in pages.text("contracts/agents/")
    assert "d 1 0 0" in pages.text("contracts/agents/")


def test_the_list_gets_agent_and_denial_counts_for_each_contract(project, agent, pages):
    version = deployed(project)
    deployed(project, name="other")
    agent.post(an_item(agent_id="bot", policy_version=version.revision_hash))
    body = pages.client.get(
        f"{pages.base}/contracts/agents/", headers={"HX-Request": "true"}
    ).content.decode()
    assert re.search(
        rf'<span id="agents-of-{version.bundle_id}" hx-swap-oob="true"\s*>1</span>', body
    )
    assert f'<span id="denied-of-{version.bundle_id}" hx-swap-oob="true">' in body
    assert body.count("hx-swap-oob") == 4


def test_an_unknown_contract_is_404(pages):
    assert pages.get("contracts/figures/", of="nothing").status_code == 404
    assert pages.get("contracts/figures/", of="\0").status_code == 404


@pytest.mark.parametrize("path", ["figures/?of=d", "agents/"])
def test_the_number_of_queries_does_not_depend_on_the_number_of_agents(
    project, agent, pages, path, django_assert_max_num_queries
):
    version = deployed(project)
    for number in range(6):
        deployed(project, env=f"env-{number}")
    agent.post(
        *(
            an_item(agent_id=f"bot-{number}", policy_version=version.revision_hash)
            for number in range(30)
        )
    )
    with django_assert_max_num_queries(QUERIES):
        assert pages.get(f"contracts/{path}").status_code == 200

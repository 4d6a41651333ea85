"""Rollout of a version, as a sentence and as a section of a page."""

import pytest
from django.urls import reverse

from governance.core.roles import Role
from outcomes.agents.domain.rollout import Taking
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.agents.queries.rollout import Taker, Takers
from outcomes.agents.views.rollout import taking_words
from tests import builders
from tests.governance.deploying import PRODUCTION, live, saved
from tests.outcomes.pages import text_of
from tests.outcomes.posting import Agent

RUNNING, SENT, WAITING = Taking.RUNNING, Taking.SENT, Taking.WAITING


def takers(*each: Taking) -> Takers:
    agent = FleetAgent(name="bot", environment=PRODUCTION)
    return Takers([Taker(agent, taking) for taking in each], knows_connections=True)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ([], "no agents use this contract here"),
        ([RUNNING], "1 of 1 agent up to date"),
        ([SENT], "0 of 1 agent up to date, 1 sent"),
        ([RUNNING, WAITING], "1 of 2 agents up to date"),
        ([RUNNING, RUNNING, SENT], "2 of 3 agents up to date, 1 sent"),
    ],
)
def test_the_rollout_sentence_counts_updated_agents(result, words):
    assert taking_words(takers(*result)) == words


def test_the_rollout_section_lists_each_agent_and_is_also_a_separate_page(project, client_as):
    first = live(saved(project, "first"))
    agent = Agent(builders.bearing(builders.a_key(project)[0]))
    for name in ("early", "late"):
        agent.post_events(builders.an_event(agent_id=name, policy_version=first.revision_hash))
    second = live(saved(project, "second"))
    agent.post_events(builders.an_event(agent_id="early", policy_version=second.revision_hash))
    address = reverse("outcomes:taking", args=[project.slug])
    query = {"bundle": "d", "environment": PRODUCTION, "version": "2"}
    viewer = client_as(Role.VIEWER)
    text = text_of(viewer.get(address, query))
    assert "d v2 in production: 1 of 2 agents up to date" in text
    assert text.index("late") < text.index("early")
    part = viewer.get(address, query, headers={"HX-Request": "true"})
    assert "<html" not in part.text
    tag = part.text.partition("tag=")[2][:16]
    assert (
        viewer.get(address, query | {"tag": tag}, headers={"HX-Request": "true"}).status_code == 204
    )
    assert viewer.get(address, query | {"version": "x"}).status_code == 404

"""The fleet: connected agents, the version each one runs, and whether it is the right one."""

import html
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery import news
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign
from governance.delivery.commands.stops import lift
from governance.delivery.domain import STOPPED_HASHES
from governance.delivery.news import Connected
from governance.models import BundleVersion, Rendering, Stop
from governance.texts.dialect import Dialect
from outcomes.agents.queries import fleet as queries_of_fleet
from outcomes.models import AgentSeen
from tests import builders
from tests.governance.serving import TEXT, deployed
from tests.outcomes.pages import Pages, an_item, text_of

QUERIES = 13


@pytest.fixture
def connect(project, monkeypatch) -> Callable[..., None]:
    """Agents with an open stream, as the broker reports them; none until a test adds one."""
    held: list[Connected] = []
    monkeypatch.setattr(news, "connected", lambda _: sorted(held))

    def hold(agent: str, revision: str = "", env: str = "production") -> None:
        builders.an_environment(project, env)
        held.append(Connected(agent, env, "", revision, datetime.now(UTC).timestamp()))

    return hold


def call(agent, name: str = "bot", version: BundleVersion | str = "", **fields) -> None:
    revision = version if isinstance(version, str) else version.revision_hash
    agent.post(an_item(agent_id=name, policy_version=revision or None, **fields))


def line(pages: Pages, name: str) -> str:
    """Row of one agent in the list."""
    text = pages.text("agents/", q=name)
    return text[text.index("Last seen") :]


def changed(text: str = TEXT) -> str:
    return text.replace("id: a", "id: a2", 1) if "id: a\n" in text else text + "\n# another\n"


def test_an_empty_fleet_explains_how_to_connect_an_agent(pages, connect):
    text = pages.text("agents/")
    assert "No agents yet" in text
    assert "It needs a key with the agent scope" in text


def test_an_agent_that_runs_the_deployed_version_is_up_to_date(project, agent, pages, connect):
    version = deployed(project)
    call(agent, "bot", version)
    assert "1 agent, up to date, 0 connected" in pages.text("agents/")
    assert "d v1" in line(pages, "bot")
    assert "up to date" in line(pages, "bot")


def test_hashes_of_both_formats_identify_the_same_version(project, agent, pages, connect):
    version = deployed(project)
    renderings = Rendering.objects.filter(version=version)
    assert {each.dialect for each in renderings} == {"old", "new"}
    for rendering in renderings:
        call(agent, f"bot-{rendering.dialect}", rendering.revision_hash)
        assert "d v1" in line(pages, f"bot-{rendering.dialect}")


def test_an_agent_that_runs_the_previous_version_is_outdated(project, agent, pages, connect):
    old = deployed(project)
    call(agent, "bot", old)
    deployed(project, changed())
    text = pages.text("agents/")
    assert "1 of 1 agent outdated" in text
    assert "outdated v2 is deployed" in line(pages, "bot")
    call(agent, "bot", BundleVersion.objects.get(number=2))
    assert "1 agent, up to date" in pages.text("agents/")


def test_the_version_comes_from_the_newest_call_and_not_the_last_received(
    project, agent, pages, connect
):
    old = deployed(project)
    new = deployed(project, changed())
    call(agent, "bot", new)
    call(agent, "bot", old, timestamp=(datetime.now(UTC) - timedelta(hours=1)).isoformat())
    assert "d v2" in line(pages, "bot")


def test_drift_is_measured_against_the_agents_assignment(project, agent, pages, connect):
    deployed(project)
    other = deployed(project, name="other")
    assign(project, env="production", agent="bot", bundle_name="d", by=CONSOLE)
    call(agent, "bot", other)
    call(agent, "free", other)
    text = pages.text("agents/")
    assert "1 of 2 agents on the wrong contract, 0 connected" in text
    assert "wrong contract assigned: d" in line(pages, "bot")
    assert "up to date" in line(pages, "free")
    assert "assigned:" not in line(pages, "free")
    assert "free" not in pages.text("agents/", state="drifting").partition("Last seen")[2]


def test_an_unknown_contract_is_displayed_by_its_hash(project, agent, pages, connect):
    call(agent, "bot", "ab" * 32)
    assert "1 of 1 agent with an unknown contract" in pages.text("agents/")
    assert "abababababab" in line(pages, "bot")
    assert "unknown" in line(pages, "bot")


def test_an_agent_with_an_open_stream_is_connected_before_its_first_call(project, pages, connect):
    version = deployed(project)
    connect("fresh", version.revision_hash)
    connect("fresh", version.revision_hash)
    text = pages.text("agents/")
    assert "1 agent, up to date, 1 connected" in text
    assert "connected \N{MULTIPLICATION SIGN} 2" in line(pages, "fresh")


def test_a_version_that_was_sent_but_not_yet_reported_is_updating(project, agent, pages, connect):
    old = deployed(project)
    call(agent, "bot", old)
    new = deployed(project, changed())
    connect("bot", new.revision_hash)
    assert "updating" in line(pages, "bot")


def test_connections_are_unknown_while_the_broker_does_not_respond(
    project, agent, pages, monkeypatch
):
    monkeypatch.setattr(news, "connected", lambda _: None)
    call(agent)
    assert "connections unknown" in pages.text("agents/")


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_stop_is_confirmed_by_a_stream_or_a_call(project, agent, pages, connect, dialect):
    call(agent, "bot", deployed(project))
    stops.stop(project, env="production", agent="bot", by=CONSOLE)
    assert "stop not confirmed" in line(pages, "bot")
    assert "applies when it next fetches its contract" in line(pages, "bot")
    connect("bot", STOPPED_HASHES[dialect])
    assert "stop not confirmed" not in line(pages, "bot")
    assert "1 of 1 agent stopped" in pages.text("agents/")


def test_an_agent_that_calls_tools_after_the_stop_has_not_confirmed_it(
    project, agent, pages, connect
):
    version = deployed(project)
    stops.stop(project, env="production", agent="bot", by=CONSOLE)
    connect("bot", STOPPED_HASHES[Dialect.NEW])
    Stop.objects.update(created_at=F("created_at") - timedelta(minutes=1))
    call(agent, "bot", version, timestamp=(datetime.now(UTC) - timedelta(minutes=2)).isoformat())
    assert "stop not confirmed" not in line(pages, "bot")
    call(agent, "bot", version)
    assert "it was sent, and tools were called since" in line(pages, "bot")
    call(agent, "bot", STOPPED_HASHES[Dialect.NEW])
    assert "stop not confirmed" not in line(pages, "bot")


def test_a_stopped_environment_is_announced_above_the_list(project, agent, pages, connect):
    call(agent, "bot", STOPPED_HASHES[Dialect.NEW])
    stop, _ = stops.stop(project, env="production", by=CONSOLE)
    assert "production stopped" in pages.text("agents/")
    assert "stop" in line(pages, "bot")
    lift(stop, by=CONSOLE)
    assert "unknown" in line(pages, "bot")


def test_calls_are_counted_for_the_period_and_the_previous_one(agent, pages, connect):
    call(agent, output={"ok": True}, tool_success=True)
    call(agent, type="failure", error="x", output=None, tool_success=None)
    call(agent, type="denied", reason="contract", output=None, tool_success=None)
    call(agent, timestamp=(datetime.now(UTC) - timedelta(hours=30)).isoformat())
    call(agent, timestamp=(datetime.now(UTC) - timedelta(days=3)).isoformat())
    assert "3 vs 1 1 vs 0 50.0 % of 2 vs 100.0 % of 1" in line(pages, "bot")
    file = pages.get("agents/", range="30d", format="json")
    (row,) = json.loads(b"".join(file.streaming_content))["agents"]
    assert (row["calls"], row["denied"], row["rate"], row["rate_before"]) == (5, 1, 0.75, None)
    assert (row["calls_before"], row["denied_before"]) == (0, 0)
    assert "vs 1 50.0 % of 2" in pages.text("agents/bot/")


def test_an_agent_in_two_environments_has_two_rows_and_one_page(project, pages, connect):
    for env in ("production", "staging"):
        version = deployed(project, env=env)
        connect("bot", version.revision_hash, env)
    assert "2 agents, all up to date, 2 connected" in pages.text("agents/")
    assert "1 agent, up to date, 1 connected" in pages.text("agents/", environment="staging")
    text = pages.text("agents/bot/")
    assert "bot made no calls" in text


def test_an_unchanged_live_section_returns_204(agent, pages, connect):
    call(agent)
    url = pages.get("agents/").context["live_url"]
    assert pages.client.get(url).status_code == 204
    call(agent, "another")
    part = pages.client.get(url)
    assert "another" in text_of(part)
    assert 'id="sentence" hx-swap-oob' in part.text
    one = pages.get("agents/bot/").context["live_url"]
    assert pages.client.get(one).status_code == 204


def test_the_list_is_paginated_by_name(project, pages, connect):
    for number in range(130):
        connect(f"bot-{number:03}")
    first = pages.get("agents/")
    assert "100 of 130, by name" in text_of(first)
    assert pages.links("agents/")["next"].endswith("start=100")
    assert "bot-129" in pages.text("agents/", start="100")
    assert "bot-000" in pages.text("agents/", **{"from": "9999"})


@pytest.mark.parametrize("path", ["agents/", "agents/bot-1/", "live/agents/"])
def test_the_number_of_queries_does_not_depend_on_the_number_of_agents(
    project, agent, pages, connect, path, django_assert_max_num_queries
):
    version = deployed(project)
    assign(project, env="production", agent="bot-*", bundle_name="d", by=CONSOLE)
    stops.stop(project, env="production", agent="bot-3", by=CONSOLE)
    agent.post(
        *[an_item(agent_id=f"bot-{n}", policy_version=version.revision_hash) for n in range(40)]
    )
    agent.client.post("/v1/skill-scan", json.dumps({"agent_id": "bot-1"}), "application/json")
    connect("bot-2", version.revision_hash)
    with django_assert_max_num_queries(QUERIES):
        assert pages.get(path).status_code == 200


def test_agents_of_other_projects_are_not_visible(agent, connect):
    call(agent)
    other = builders.a_project()
    viewer = builders.signed_in(builders.a_member(other, Role.VIEWER).user)
    stranger = Pages(viewer, other.slug)
    assert "No agents yet" in stranger.text("agents/")
    assert stranger.get("agents/bot/").status_code == 404


@pytest.mark.parametrize("name", ["..", "-", "a/b", "a b\n", "ü"])
def test_an_agent_of_any_name_has_a_page(agent, pages, connect, name):
    call(agent, name)
    page = pages.get("agents/").content.decode()
    url = page.partition('<a class="row-link mono" href="')[2].partition('"')[0]
    assert pages.client.get(url.replace("&amp;", "&")).context["name"] == name


def test_only_operators_can_stop_agents(agent, pages, client_as, project, connect):
    call(agent)
    assert "Stop" not in pages.text("agents/").partition("Last seen")[0].replace("Stopped", "")
    assert "You need the operator role to stop it." in pages.text("agents/bot/")
    operator = Pages(client_as(Role.OPERATOR), project.slug)
    assert "Stop production…" in operator.text("agents/")
    assert "Stop this agent…" in operator.text("agents/bot/")


def test_the_newest_call_of_each_agent_is_stored_whatever_the_arrival_order(project, agent):
    earlier = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    call(agent, "a")
    call(agent, "b")
    call(agent, "a", call_id="late", timestamp=earlier)
    call(agent, "b", call_id="newest")
    fields = dict(AgentSeen.objects.values_list("agent__name", "call__call_id"))
    assert fields["a"] != "late"
    assert fields["b"] == "newest"


def test_the_sdk_is_identified_as_far_as_its_events_allow(project, agent, pages, connect):
    new = builders.an_event(agent_id="new-python")
    old: dict[str, Any] = {
        "call_id": "x",
        "agent_id": "old",
        "tool_name": "t",
        "verdict": "call_allowed",
    }
    old |= {"mode": "enforce", "timestamp": "2026-11-18T06:00:00+00:00", "payload": {}}
    elder = old | {"call_id": "y", "agent_id": "elder", "timestamp": "2026-11-18T06:00:00.000Z"}
    typescript = builders.an_event(agent_id="ts", timestamp="2026-11-18T06:00:00.000Z")
    agent.post_events(
        new, old, elder, typescript, builders.an_event(agent_id="go", schema_version="0.4.0")
    )
    call(agent, "poster")
    fields = {
        "new-python": "Python from 0.18",
        "old": "Python to 0.16",
        "ts": "TypeScript from 0.3",
    }
    fields |= {"go": "Go from 0.4", "poster": "outcomes API"}
    fields |= {"elder": "TypeScript 0.1 or Go to 0.2"}
    for name, family in fields.items():
        assert family in line(pages, name)
    assert "Python" not in line(pages, "elder")
    assert "Go" not in line(pages, "old")


def test_an_anonymous_visitor_cannot_see_the_fleet(project):
    assert Client().get(f"/p/{project.slug}/agents/").status_code == 302


@pytest.fixture
def _large(monkeypatch):
    """Treat every fleet as large, so that its query is cached."""
    monkeypatch.setattr(queries_of_fleet, "LARGE", 0)
    queries_of_fleet.forget()
    yield
    queries_of_fleet.forget()


@pytest.mark.usefixtures("_large")
def test_polls_of_a_large_fleet_share_a_cached_query(agent, pages, connect):
    call(agent, "first")
    rows = pages.get("live/agents/")
    assert "first" in text_of(rows)
    call(agent, "second")
    assert "second" not in pages.text("live/agents/")
    assert "second" in pages.text("agents/")
    queries_of_fleet.forget()
    assert "second" in pages.text("live/agents/")


def test_a_small_fleet_is_not_cached(agent, pages, connect):
    for name in ("first", "second"):
        call(agent, name)
        assert name in pages.text("live/agents/")
    assert 'hx-trigger="every 2s"' in pages.get("agents/").text


def test_agent_figures_are_compared_with_the_previous_period(agent, pages, connect):
    call(agent, tool_name="mail")
    call(agent, type="failure", error="x", output=None, tool_success=None, tool_name="mail")
    call(agent, type="denied", reason="contract", output=None, tool_success=None)
    call(agent, timestamp=(datetime.now(UTC) - timedelta(hours=30)).isoformat())
    call(agent, "another")
    body = pages.get("agents/bot/").content.decode()
    (address,) = re.findall(r'id="agent-activity" hx-get="([^"]*)"', body)
    page = pages.client.get(html.unescape(address))
    text = text_of(page)
    assert "bot : activity in the last 24 hours" in text
    assert "Denied 1 of 3 vs 0 of 1" in text
    assert "contract vs 0 1 100 %" in text
    assert "mail 2 50.0 % of 2" in text
    (again,) = re.findall(r'data-live hx-get="([^"]*)"', page.content.decode())
    alone = pages.client.get(html.unescape(again), headers={"HX-Request": "true"})
    assert alone.status_code in (204, 200)  # the minute may have changed in the meantime
    call(agent)
    fresh = pages.client.get(html.unescape(again), headers={"HX-Request": "true"})
    assert "Success rate 66.7 % of 3" in text_of(fresh)
    assert "<html" not in fresh.content.decode()
    assert "No calls in this range" in pages.text("live/agent-activity/", of="no")

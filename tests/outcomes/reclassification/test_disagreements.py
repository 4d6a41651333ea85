"""Disagreements between agents and the console."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from governance.core.roles import Role
from outcomes.reclassification.queries.disagreements import Judge, disagreements
from tests import builders
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import text_of
from tests.outcomes.posting import Agent

OK, NOT_OK, IS_ERROR = {"ok": True}, {"ok": False}, {"is_error": True}
DAY = timedelta(hours=24)


def ran(output, reported, **fields):
    at = datetime.now(UTC) - timedelta(minutes=3)
    usual = {"tool_name": "crm", "agent_id": "bot", "timestamp": at.isoformat()}
    return builders.an_outcome(output=output, tool_success=reported, **usual | fields)


def used(name, version):
    return {"success_check": {"name": name, "version": version}}


def disagreements_of(project, environment="", ago=DAY):
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    return disagreements(project.pk, environment, now - ago, now + timedelta(minutes=1))


def page(project, query=""):
    return reverse("outcomes:disagreements", args=[project.slug]) + query


def test_disagreements_in_both_directions_are_counted_by_tool_and_agent(project, agent):
    a_check(project)
    bound(project, "web mine")
    agent.post(
        ran(IS_ERROR, reported=True),
        ran(IS_ERROR, reported=True, agent_id="old-bot"),
        ran(OK, reported=False, tool_name="web", agent_id="old-bot"),
        ran(OK, reported=True),
        ran(OK, reported=None),
    )
    disagreements_shown = disagreements_of(project)
    assert (disagreements_shown.total, disagreements_shown.judged) == (3, 5)
    by_tool = {
        each.name: (each.judged, each.agent_only_success, each.agent_only_failure)
        for each in disagreements_shown.tools
    }
    assert by_tool == {"crm": (4, 2, 0), "web": (1, 0, 1)}
    assert [(each.name, each.disagreements) for each in disagreements_shown.agents] == [
        ("old-bot", 2),
        ("bot", 1),
    ]


def test_unknown_verdicts_and_unreported_timeouts_are_not_disagreements(project, agent):
    a_check(project, otherwise="unknown")
    bound(project, "crm mine")
    agent.post(
        ran(OK, reported=True),
        ran(None, reported=None, type="timeout"),
        ran(None, reported=None, type="denied", reason="contract"),
    )
    assert disagreements_of(project).total == 0


def test_an_agent_on_an_old_check_version_is_marked(project, agent, client_as):
    a_check(project)
    a_check(project, "{when: {result.ok: {equals: 0}}, id: zero, verdict: failure}")
    bound(project, "* mine")
    agent.post(
        ran(NOT_OK, reported=False, agent_id="old-bot", metadata=used("mine", 1), call_id="c-1"),
        ran({"ok": 0}, reported=True, agent_id="default-bot", metadata=used("default", 1)),
        ran({"ok": 0}, reported=True, agent_id="new-bot", metadata=used("mine", 2)),
        ran({"ok": 0}, reported=True, agent_id="silent-bot"),
    )
    fields = {each.agent: each for each in disagreements_of(project).groups}
    assert {each.judge for each in fields.values()} == {Judge("mine", 2)}
    assert {name: (each.is_behind, each.is_other) for name, each in fields.items()} == {
        "old-bot": (True, False),
        "default-bot": (False, True),
        "new-bot": (False, False),
        "silent-bot": (False, False),
    }
    words = client_as(Role.VIEWER).get(page(project))
    text = text_of(words)
    assert "Agents and checks disagree on 4 of 4 calls in the last 24 hours" in text
    assert "old-bot crm mine v2 mine v1 old version 0 1 Update mine in the agent. v2" in text
    give = "1 0 Did the call fail? Use mine in the agent. Otherwise fix its rule. Open check"
    assert f"default-bot crm mine v2 default v1 another check {give}" in text
    assert f"silent-bot crm mine v2 not reported {give}" in text
    assert "/calls/c-1/" in words.text


def test_a_suggested_next_step_never_makes_the_right_side_wrong(project, agent, client_as):
    """An agent that reports a failure may know more than the check. In an agent, `default` would
    hide failures that its framework adapter detects."""
    a_check(project)
    bound(project, "web mine")
    agent.post(
        ran(OK, reported=False, tool_name="web", call_id="c-1"), ran(IS_ERROR, reported=True)
    )
    disagreements_shown = client_as(Role.VIEWER).get(page(project))
    text = text_of(disagreements_shown)
    assert "Did the call fail? Add a rule to mine . Otherwise use mine in the agent." in text
    assert "check-for-call/?of=c-1" in disagreements_shown.text
    assert "Bind a check for this tool, then use it in the agent." in text
    assert "bindings/?tool=crm" in disagreements_shown.text


def test_each_version_of_a_check_has_its_own_row(project, agent):
    a_check(project)
    bound(project, "* mine")
    agent.post(ran(NOT_OK, reported=True))
    a_check(project, "{when: {result.ok: {equals: false}}, id: other, verdict: failure}")
    agent.post(ran(NOT_OK, reported=True), ran(NOT_OK, reported=True))
    assert [
        (each.judge.version, each.disagreements) for each in disagreements_of(project).groups
    ] == [
        (2, 2),
        (1, 1),
    ]


def test_a_failure_decided_without_a_check_is_labeled_as_such(project, agent, client_as):
    agent.post(ran(None, reported=True, type="timeout"))
    (group,) = disagreements_of(project).groups
    assert group.judge.name == ""
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "none: timeout or failure" in text


def test_disagreements_can_be_filtered_by_environment_and_period(project, agent, client_as):
    key = builders.a_key(project, "agent", "ingest", env="staging")[0]
    Agent(builders.bearing(key)).post(ran(IS_ERROR, reported=True, agent_id="stage-bot"))
    old = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    agent.post(ran(IS_ERROR, reported=True), ran(IS_ERROR, reported=True, timestamp=old))
    assert disagreements_of(project).total == 2
    assert disagreements_of(project, "staging").total == 1
    assert disagreements_of(project, ago=timedelta(days=7)).total == 3
    viewer = client_as(Role.VIEWER)
    text = text_of(viewer.get(page(project, "?environment=staging")))
    assert "1 of 1 call in the last 24 hours in staging" in text
    assert "3 of 3 calls in the last 7 days" in text_of(viewer.get(page(project, "?range=7d")))


@pytest.mark.parametrize("query", ["?range=x", "?agent=other-bot", "?environment=%00"])
def test_an_invalid_filter_is_ignored(project, agent, client_as, query):
    agent.post(ran(IS_ERROR, reported=True))
    text = text_of(client_as(Role.VIEWER).get(page(project, query)))
    assert "1 of 1 call in the last 24 hours" in text


def test_a_bounded_list_states_how_many_calls_it_covers(project, agent, client_as, monkeypatch):
    monkeypatch.setattr("outcomes.reclassification.queries.disagreements.COUNTED", 2)
    agent.post(*[ran(IS_ERROR, reported=True) for _ in range(5)])
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "disagree on 5 of 5 calls" in text
    assert "of the newest 2 of 5 calls" in text


def test_agreement_and_missing_calls_have_different_headlines(project, agent, client_as):
    viewer = client_as(Role.VIEWER)
    assert "No verdicts in the last 24 hours" in text_of(viewer.get(page(project)))
    agent.post(ran(OK, reported=True))
    assert "agree on all 1 call in the last 24 hours" in text_of(viewer.get(page(project)))


@pytest.mark.parametrize(
    "metadata",
    [{"success_check": "mine"}, {"success_check": {"name": 4}}, {"success_check": {}}, {"x": 1}],
)
def test_invalid_check_metadata_of_an_agent_is_ignored(project, agent, metadata):
    agent.post(ran(IS_ERROR, reported=True, metadata=metadata))
    (group,) = disagreements_of(project).groups
    assert group.reported_by is None


def test_the_number_of_tools_and_queries_is_bounded(
    project, agent, client_as, django_assert_max_num_queries
):
    agent.post(
        *[ran(IS_ERROR, reported=True, agent_id=f"bot-{n}", tool_name=f"t-{n}") for n in range(60)]
    )
    viewer = client_as(Role.VIEWER)
    viewer.get(page(project))
    with django_assert_max_num_queries(12):
        text = text_of(viewer.get(page(project)))
    assert "10 more tools not shown." in text
    assert "10 more tools not shown." in text

"""Where agents report another verdict than the console gives, so that it can be mended."""

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


def ran(output, said, **fields):
    at = datetime.now(UTC) - timedelta(minutes=3)
    usual = {"tool_name": "crm", "agent_id": "bot", "timestamp": at.isoformat()}
    return builders.an_outcome(output=output, tool_success=said, **usual | fields)


def used(name, version):
    return {"success_check": {"name": name, "version": version}}


def found(project, environment="", ago=DAY):
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    return disagreements(project.pk, environment, now - ago, now + timedelta(minutes=1))


def page(project, query=""):
    return reverse("outcomes:disagreements", args=[project.slug]) + query


def test_both_directions_are_counted_by_tool_and_by_agent(project, agent):
    a_check(project)
    bound(project, "web mine")
    agent.post(
        ran(IS_ERROR, said=True),
        ran(IS_ERROR, said=True, agent_id="old-bot"),
        ran(OK, said=False, tool_name="web", agent_id="old-bot"),
        ran(OK, said=True),
        ran(OK, said=None),
    )
    told = found(project)
    assert (told.total, told.judged) == (3, 5)
    by_tool = {
        each.name: (each.judged, each.agent_only_success, each.agent_only_failure)
        for each in told.tools
    }
    assert by_tool == {"crm": (4, 2, 0), "web": (1, 0, 1)}
    assert [(each.name, each.disagreements) for each in told.agents] == [("old-bot", 2), ("bot", 1)]


def test_unknown_and_timeouts_without_a_word_disagree_with_nothing(project, agent):
    a_check(project, otherwise="unknown")
    bound(project, "crm mine")
    agent.post(
        ran(OK, said=True),
        ran(None, said=None, type="timeout"),
        ran(None, said=None, type="denied", reason="contract"),
    )
    assert found(project).total == 0


def test_an_agent_on_an_old_version_stands_out(project, agent, client_as):
    a_check(project)
    a_check(project, "{when: {result.ok: {equals: 0}}, id: zero, verdict: failure}")
    bound(project, "* mine")
    agent.post(
        ran(NOT_OK, said=False, agent_id="old-bot", metadata=used("mine", 1), call_id="c-1"),
        ran({"ok": 0}, said=True, agent_id="default-bot", metadata=used("default", 1)),
        ran({"ok": 0}, said=True, agent_id="new-bot", metadata=used("mine", 2)),
        ran({"ok": 0}, said=True, agent_id="silent-bot"),
    )
    told = {each.agent: each for each in found(project).groups}
    assert {each.judge for each in told.values()} == {Judge("mine", 2)}
    assert {name: (each.is_behind, each.is_other) for name, each in told.items()} == {
        "old-bot": (True, False),
        "default-bot": (False, True),
        "new-bot": (False, False),
        "silent-bot": (False, False),
    }
    said = client_as(Role.VIEWER).get(page(project))
    text = text_of(said)
    assert "Agents and checks disagree on 4 of 4 calls in the last 24 hours" in text
    assert "old-bot crm mine v2 mine v1 old version 0 1 Update mine in the agent. v2" in text
    give = "1 0 Did the call fail? Use mine in the agent. Otherwise fix its rule. Open check"
    assert f"default-bot crm mine v2 default v1 another check {give}" in text
    assert f"silent-bot crm mine v2 not reported {give}" in text
    assert "/calls/c-1/" in said.text


def test_a_next_step_never_makes_the_right_side_wrong(project, agent, client_as):
    """An agent that reports a failure may know more than the check; `default` in an agent would
    hide failures that its framework adapter finds."""
    a_check(project)
    bound(project, "web mine")
    agent.post(ran(OK, said=False, tool_name="web", call_id="c-1"), ran(IS_ERROR, said=True))
    answer = client_as(Role.VIEWER).get(page(project))
    text = text_of(answer)
    assert "Did the call fail? Add a rule to mine . Otherwise use mine in the agent." in text
    assert "check-for-call/?of=c-1" in answer.text
    assert "Bind a check for this tool, then use it in the agent." in text
    assert "bindings/?tool=crm" in answer.text


def test_a_version_of_the_check_has_a_line_of_its_own(project, agent):
    a_check(project)
    bound(project, "* mine")
    agent.post(ran(NOT_OK, said=True))
    a_check(project, "{when: {result.ok: {equals: false}}, id: other, verdict: failure}")
    agent.post(ran(NOT_OK, said=True), ran(NOT_OK, said=True))
    assert [(each.judge.version, each.disagreements) for each in found(project).groups] == [
        (2, 2),
        (1, 1),
    ]


def test_a_failure_that_no_check_was_asked_about_says_so(project, agent, client_as):
    agent.post(ran(None, said=True, type="timeout"))
    (group,) = found(project).groups
    assert group.judge.name == ""
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "none: timeout or failure" in text


def test_environment_and_period_narrow_it(project, agent, client_as):
    key = builders.a_key(project, "agent", "ingest", env="staging")[0]
    Agent(builders.bearing(key)).post(ran(IS_ERROR, said=True, agent_id="stage-bot"))
    old = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    agent.post(ran(IS_ERROR, said=True), ran(IS_ERROR, said=True, timestamp=old))
    assert found(project).total == 2
    assert found(project, "staging").total == 1
    assert found(project, ago=timedelta(days=7)).total == 3
    viewer = client_as(Role.VIEWER)
    text = text_of(viewer.get(page(project, "?environment=staging")))
    assert "1 of 1 call in the last 24 hours in staging" in text
    assert "3 of 3 calls in the last 7 days" in text_of(viewer.get(page(project, "?range=7d")))


@pytest.mark.parametrize("query", ["?range=x", "?agent=other-bot", "?environment=%00"])
def test_what_is_no_choice_is_passed_over(project, agent, client_as, query):
    agent.post(ran(IS_ERROR, said=True))
    text = text_of(client_as(Role.VIEWER).get(page(project, query)))
    assert "1 of 1 call in the last 24 hours" in text


def test_more_than_are_read_are_said_to_be(project, agent, client_as, monkeypatch):
    monkeypatch.setattr("outcomes.reclassification.queries.disagreements.COUNTED", 2)
    agent.post(*[ran(IS_ERROR, said=True) for _ in range(5)])
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "disagree on 5 of 5 calls" in text
    assert "of the newest 2 of 5 calls" in text


def test_agreement_and_no_calls_are_told_apart(project, agent, client_as):
    viewer = client_as(Role.VIEWER)
    assert "No verdicts in the last 24 hours" in text_of(viewer.get(page(project)))
    agent.post(ran(OK, said=True))
    assert "agree on all 1 call in the last 24 hours" in text_of(viewer.get(page(project)))


@pytest.mark.parametrize(
    "metadata",
    [{"success_check": "mine"}, {"success_check": {"name": 4}}, {"success_check": {}}, {"x": 1}],
)
def test_what_agents_write_in_its_place_is_passed_over(project, agent, metadata):
    agent.post(ran(IS_ERROR, said=True, metadata=metadata))
    (group,) = found(project).groups
    assert group.reported_by is None


def test_of_many_a_bounded_number_is_shown_in_twelve_queries(
    project, agent, client_as, django_assert_max_num_queries
):
    agent.post(
        *[ran(IS_ERROR, said=True, agent_id=f"bot-{n}", tool_name=f"t-{n}") for n in range(60)]
    )
    viewer = client_as(Role.VIEWER)
    viewer.get(page(project))
    with django_assert_max_num_queries(12):
        text = text_of(viewer.get(page(project)))
    assert "10 more tools not shown." in text
    assert "10 more tools not shown." in text

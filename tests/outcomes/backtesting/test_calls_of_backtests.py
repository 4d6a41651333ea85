"""The individual calls behind the figures of a backtest."""

import html
import re

import pytest
from django.urls import reverse

from governance.core.roles import Role
from outcomes.recorded_calls import commands as changed_calls
from outcomes.recorded_calls import domain as keeping
from tests import builders
from tests.governance.contracts.documents import document, pre
from tests.outcomes.backtests import backtested

RULES = document(pre("{args.command: {contains: rm}}", rule_id="no-rm"))


@pytest.fixture
def editor(project, client_as):
    return client_as(Role.EDITOR)


def at(project, name, *args):
    return reverse(f"outcomes:{name}", args=[project.slug, *args])


def ran(agent, *commands_run, **fields):
    agent.post(
        *(
            builders.an_outcome(tool_name="shell", tool_args={"command": each}, **fields)
            for each in commands_run
        )
    )


def test_each_figure_links_to_all_of_its_calls(
    project, agent, editor, django_assert_max_num_queries
):
    ran(agent, *(f"rm {number}" for number in range(60)), session_id="s/1", agent_id="a&b")
    ran(agent, "ls", "rm here", session_id="s-2")
    backtest = backtested(project, RULES)
    result = editor.get(at(project, "backtest", backtest.pk)).text
    here = at(project, "calls_of_backtest", backtest.pk)
    for link, number in {
        "change=newly_denied": 61,
        "rule=no-rm&change=newly_denied": 61,
        "tool=shell&change=newly_denied": 61,
        "agent=a%26b&change=newly_denied": 60,
        "environment=production&session=s%2F1&change=newly_denied": 60,
        "environment=production&session=s-2&change=newly_denied": 1,
    }.items():
        assert html.escape(f'href="{here}?{link}"', quote=False) in result, link
        with django_assert_max_num_queries(12):
            page = editor.get(f"{here}?{link}").text
        assert page.count("command: &quot;rm ") == min(number, 50)
        assert f"of {number}, newest first" in page
    older = re.search(r'rel="next" href="([^"]*)"', editor.get(here).text)
    assert older is not None
    assert editor.get(html.unescape(older[1])).text.count("command: &quot;rm ") == 11
    one = editor.get(f"{here}?environment=production&session=s-2").text
    assert "Changed: 1 call of the session <code>s-2</code>" in one


def test_a_truncated_list_states_which_calls_are_stored(project, agent, editor, monkeypatch):
    monkeypatch.setattr(keeping, "FIRST", 2)
    monkeypatch.setattr(keeping, "OF_GROUP", 1)
    ran(agent, "rm 1", "rm 2", "rm 3", session_id="s-1")
    ran(agent, "rm 4", "rm 5", session_id="s-2")
    backtest = backtested(project, RULES)
    here = at(project, "calls_of_backtest", backtest.pk)
    page = editor.get(f"{here}?change=newly_denied").text
    assert "Newly denied: 5 calls" in page
    assert "3 of these 5 calls are listed: the first 2" in page
    assert "1 of these 2 calls" in editor.get(f"{here}?environment=production&session=s-2").text


def test_calls_are_stored_only_for_the_newest_results(project, agent, editor, monkeypatch):
    monkeypatch.setattr(changed_calls, "WITH_CALLS", 1)
    ran(agent, "rm")
    old, new = backtested(project, RULES), backtested(project, RULES)
    assert "are no longer stored" in editor.get(at(project, "calls_of_backtest", old.pk)).text
    assert "are no longer stored" not in editor.get(at(project, "calls_of_backtest", new.pk)).text


def test_calls_of_a_result_are_not_visible_to_other_projects(project, agent, editor):
    ran(agent, "rm")
    backtest = backtested(project, RULES)
    stranger = builders.a_member(builders.a_project("other"), Role.EDITOR)
    here = reverse("outcomes:calls_of_backtest", args=["other", backtest.pk])
    assert builders.signed_in(stranger.user).get(here).status_code == 404
    assert editor.get(at(project, "calls_of_backtest", 999_999)).status_code == 404
    for unheard in ("change=x", "tool=%00", "session=s", "before=9.9", "rule=a&tool=b"):
        page = editor.get(f"{at(project, 'calls_of_backtest', backtest.pk)}?{unheard}")
        assert page.status_code == 200


def test_the_api_returns_the_calls_of_a_group_in_pages(project, agent):
    ran(agent, "rm 1", "ls", "rm 2", "rm 3", session_id="s-1")
    here = f"/v1/contracts/backtests/{backtested(project, RULES).pk}/calls"
    client = builders.bearing(builders.a_key(project, "read")[0])
    body = client.get(f"{here}?rule=no-rm&change=newly_denied&limit=2").json()
    assert (body["number"], body["kept"], len(body["calls"])) == (3, 3, 2)
    rest = client.get(f"{here}?rule=no-rm&limit=2&cursor={body['next']}").json()
    assert (len(rest["calls"]), rest["next"]) == (1, None)
    seen = {each["call_id"] for each in body["calls"] + rest["calls"]}
    assert len(seen) == 3
    assert body["calls"][0] | {"call_id": "", "timestamp": "", "agent_id": ""} == {
        "call_id": "",
        "environment": "production",
        "session_id": "s-1",
        "tool_name": "shell",
        "agent_id": "",
        "timestamp": "",
        "change": "newly_denied",
        "was": "allowed",
        "was_rule": None,
        "now": "denied",
        "rule": "no-rm",
        "output": "allow",
    }
    assert client.get(f"{here}?session=s-1").status_code == 422
    assert client.get(f"{here}?session=s-1&env=production").json()["number"] == 3

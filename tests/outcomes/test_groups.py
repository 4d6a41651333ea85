"""Groups of failures and denials in a scope, held to what their calls say."""

from datetime import UTC, datetime, timedelta

from outcomes.domain.scope import Scope
from outcomes.queries.groups import (
    denial_groups,
    denials,
    failure_groups,
    group_calls,
    group_with,
)
from tests import builders
from tests.outcomes.pages import a_denied_item, an_item

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def of_day(**chosen):
    return Scope(since=NOON - timedelta(days=1), until=NOON, **chosen)


def ago(**time):
    return (NOON - timedelta(**time)).isoformat()


def test_failures_that_fail_alike_are_one_group(project, agent):
    failed = {"type": "failure", "output": None, "tool_success": None}
    agent.post(
        an_item("s-1", timestamp=ago(hours=1), error="row 1 locked", **failed),
        an_item("s-1", timestamp=ago(hours=2), error="row 22 locked", **failed),
        an_item("s-2", timestamp=ago(hours=3), error="row 3 locked", **failed),
        an_item("s-2", timestamp=ago(hours=30), error="row 4 locked", **failed),
        an_item("s-3", timestamp=ago(hours=3), output="Error: no such table"),
        an_item("s-3", timestamp=ago(hours=3), error="row 5 locked", tool_name="other", **failed),
        an_item("s-3", timestamp=ago(hours=3)),
    )
    page = failure_groups(project.pk, of_day(), tool="query")
    first, second = page.groups
    assert (first.text, first.calls, first.before, first.sessions) == ("row # locked", 3, 1, 2)
    assert (second.check, second.text, second.calls) == ("default", "Error: no such table", 1)
    assert (page.number, page.calls, page.next) == (2, 4, None)
    assert sum(first.steps) == 3
    assert len(first.steps) == len(of_day().steps())
    assert (first.first_at, first.last_at) == (
        NOON - timedelta(hours=30),
        NOON - timedelta(hours=1),
    )
    assert failure_groups(project.pk, of_day()).number == 3
    rows = group_calls(project.pk, of_day(), first.key).rows
    assert [row.at for row in rows] == [NOON - timedelta(hours=each) for each in (1, 2, 3)]


def test_pages_of_groups_go_on_where_the_last_one_ended(project, agent):
    words = ["a", "b", "b", "c"]
    agent.post(
        *(
            an_item(f"s-{n}", timestamp=ago(hours=1), output=f"Error: {w}")
            for n, w in enumerate(words)
        )
    )
    page = failure_groups(project.pk, of_day(), size=2)
    assert page.groups[0].text == "Error: b"
    rest = failure_groups(project.pk, of_day(), size=2, after=page.next)
    assert (page.number, len(rest.groups), rest.next) == (3, 1, None)
    assert len({each.key for each in [*page.groups, *rest.groups]}) == 3


def test_a_group_is_new_where_it_was_first_seen_after_the_last_deployment(project, agent):
    builders.deployed(builders.a_version(project), at=NOON - timedelta(hours=5))
    agent.post(
        an_item("s-1", timestamp=ago(hours=6), output="Error: old"),
        an_item("s-1", timestamp=ago(hours=4), output="Error: old"),
        an_item("s-1", timestamp=ago(hours=4), output="Error: new"),
    )
    new = {each.text: each.new_since for each in failure_groups(project.pk, of_day()).groups}
    assert new["Error: old"] is None
    deployed = new["Error: new"]
    assert deployed
    assert (deployed.contract, deployed.version, deployed.environment) == ("rules", 1, "production")


def test_a_group_is_back_when_it_was_gone_for_a_day(project, agent):
    agent.post(
        an_item("s-1", timestamp=ago(hours=40), output="Error: back"),
        an_item("s-1", timestamp=ago(hours=16), output="Error: back"),
        an_item("s-1", timestamp=ago(hours=30), output="Error: here"),
        an_item("s-1", timestamp=ago(hours=16), output="Error: here"),
        an_item("s-1", timestamp=ago(hours=90), output="Error: gone"),
    )
    back = {each.text: each.gone_since for each in failure_groups(project.pk, of_day()).groups}
    assert back == {"Error: back": NOON - timedelta(hours=40), "Error: here": None}


def test_denials_are_told_by_reason_rule_tool_and_agent(project, agent):
    agent.post(
        a_denied_item(timestamp=ago(hours=1), decision_name="no-rm", details="rm /tmp/1"),
        a_denied_item(timestamp=ago(hours=2), decision_name="no-rm", details="rm /tmp/2"),
        a_denied_item(
            timestamp=ago(hours=2), decision_name="no-rm", details="rm /tmp/2", agent_id="b"
        ),
        a_denied_item(timestamp=ago(hours=26), reason="limit", tool_name="sql"),
    )
    page = denial_groups(project.pk, of_day())
    assert [(each.agent, each.rule, each.text, each.calls) for each in page.groups] == [
        ("bot", "no-rm", "rm /…", 2),
        ("b", "no-rm", "rm /…", 1),
    ]
    whole = denials(project.pk, of_day())
    assert (whole.calls, whole.before, sum(whole.steps)) == (3, 1, 3)
    assert [(each.name, each.calls, each.before) for each in whole.by_reason] == [
        ("contract", 3, 0),
        ("limit", 0, 1),
    ]
    assert [(each.name, each.calls) for each in whole.by_rule] == [("no-rm", 3), ("", 0)]
    assert [(each.name, each.calls) for each in whole.by_tool] == [("query", 3), ("sql", 0)]
    assert [(each.name, each.calls) for each in whole.by_agent] == [("bot", 2), ("b", 1)]
    only = denial_groups(project.pk, of_day(agent="b"))
    assert [each.agent for each in only.groups] == ["b"]
    assert denial_groups(project.pk, of_day(), rule="").groups == []
    assert denial_groups(project.pk, of_day(environment="test")).groups == []


def test_a_key_finds_a_group_that_has_no_calls_in_the_scope(project, agent):
    agent.post(an_item("s-1", timestamp=ago(hours=1), output="Error: x"))
    (group,) = failure_groups(project.pk, of_day()).groups
    earlier = Scope(since=NOON - timedelta(days=9), until=NOON - timedelta(days=8))
    found = group_with(project.pk, earlier, group.key)
    assert found
    assert (found.calls, found.sessions, found.text) == (0, 0, "Error: x")
    assert group_with(project.pk, of_day(), "0" * 32) is None
    assert group_with(project.pk, of_day(), "no key") is None

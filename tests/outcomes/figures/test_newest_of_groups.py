"""Lists of similar denials read only as many calls as a page lists, and skip none."""

from datetime import UTC, datetime, timedelta

import pytest

from outcomes.calls.queries import lists as call_lists
from outcomes.figures.queries.group_calls import groups_of_rule
from outcomes.models import Call
from outcomes.stored.queries import PLACE_BY_TIME, CallFilter
from outcomes.web.paging import every
from tests import builders
from tests.outcomes.pages import a_denied_item
from tests.outcomes.posting import Agent

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def ago(minutes: int) -> datetime:
    return NOON - timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"agent": "b"},
        {"agent": "nobody"},
        {"environment": "test"},
        {"since": ago(20)},
        {"since": ago(25), "until": ago(5), "environment": "production", "agent": "a"},
    ],
)
def test_denials_of_a_rule_are_listed_newest_first_across_pages(
    project, agent, monkeypatch, chosen
):
    monkeypatch.setattr(call_lists, "CALLS_SHOWN", 4)
    in_test = Agent(builders.bearing(builders.a_key(project, "agent", env="test")[0]))
    items = [
        a_denied_item(
            f"s-{number % 4}",
            decision_name="no-rm" if number % 5 else "other",
            agent_id="ab"[number % 2],
            tool_name=f"t-{number % 3}",
            timestamp=ago(number // 3).isoformat(),  # some at the same time
        )
        for number in range(90)
    ]
    agent.post(*(item for number, item in enumerate(items) if number % 7))
    in_test.post(*(item for number, item in enumerate(items) if not number % 7))
    filters = CallFilter(rule="no-rm", groups=groups_of_rule(project.pk, "no-rm"), **chosen)
    listed = every(
        lambda before: call_lists.calls_by_time(project.pk, filters, show="denied", before=before),
        PLACE_BY_TIME,
    )
    rows = Call.objects.filter(rule="no-rm").select_related("agent", "environment")
    right = [
        row.pk
        for row in rows.order_by("-at", "-order")
        if chosen.get("agent") in (None, row.agent.name)
        and chosen.get("environment") in (None, row.environment.name)
        and chosen.get("since", row.at) <= row.at < chosen.get("until", NOON + timedelta(1))
    ]
    assert bool(right) is (chosen.get("agent") != "nobody")
    assert [row.pk for row in listed] == right

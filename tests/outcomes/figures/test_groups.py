"""Groups of failures and denials in a scope, compared with a recount of their calls."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from outcomes.core.scope import Scope
from outcomes.denials.queries.denial_sums import denials
from outcomes.figures.codec.groups import digest_of_group, grouping_of
from outcomes.figures.commands import rolling_up
from outcomes.figures.queries.groups import denial_groups, failure_groups, group_calls, group_with
from outcomes.models import Call
from outcomes.record.codec import CALL_COLUMNS, CallRow, call_row_of
from outcomes.stored import names
from outcomes.stored.queries import CallFilter, calls
from tests import builders
from tests.examples import with_a_database
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.posting import Agent

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
ZONES = [ZoneInfo(name) for name in ("UTC", "Asia/Kathmandu", "America/New_York")]
minutes = (st.integers(0, 90) | st.integers(0, 4 * 24 * 60)).map(
    lambda number: NOON - timedelta(minutes=number)
)
moments = st.builds(
    lambda at, tenths: at + timedelta(seconds=tenths / 10), minutes, st.integers(0, 599)
)
became = st.sampled_from(
    [
        *({"output": f"Error: no row {number}"} for number in range(12)),
        {"output": {"is_error": True}},
        {"output": 1},
        {"type": "failure", "error": "broken"},
        {"type": "denied", "reason": "contract", "details": "of 7", "decision_name": "a"},
        {"type": "denied", "reason": "limit"},
    ]
)
items = st.builds(
    lambda became, at, **fields: builders.an_outcome(timestamp=at.isoformat(), **fields, **became),
    became,
    moments,
    # Some call ids occur twice, possibly with another tool, agent or session.
    call_id=st.integers(0, 60).map("c-{}".format),
    tool_name=st.sampled_from(["sql", "sql", "http"]),
    agent_id=st.sampled_from(["one", "other"]),
    session_id=st.sampled_from(["s-1", "s-2", None]),
)
scopes = st.builds(
    lambda since, length, **chosen: Scope(since=since, until=since + length, **chosen),
    minutes,
    (st.integers(1, 60) | st.integers(1, 3 * 24 * 60)).map(lambda n: timedelta(minutes=n)),
    zone=st.sampled_from(ZONES),
    environment=st.sampled_from(["", "production", "test"]),
    agent=st.sampled_from(["", "", "one", "nobody"]),
)


def the_day(**chosen):
    return Scope(since=NOON - timedelta(days=1), until=NOON, **chosen)


def ago(**time):
    return (NOON - timedelta(**time)).isoformat()


def test_similar_failures_are_one_group(project, agent):
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
    page = failure_groups(project.pk, the_day(), tool="query")
    first, second = page.groups
    assert (first.text, first.calls, first.before, first.sessions) == ("row # locked", 3, 1, 2)
    assert (second.check, second.text, second.calls) == ("default", "Error: no such table", 1)
    assert (page.number, page.calls, page.next) == (2, 4, None)
    assert sum(first.steps) == 3
    assert len(first.steps) == len(the_day().steps())
    assert (first.first_at, first.last_at) == (
        NOON - timedelta(hours=30),
        NOON - timedelta(hours=1),
    )
    assert failure_groups(project.pk, the_day()).number == 3
    rows = group_calls(project.pk, the_day(), first.key).rows
    assert [row.at for row in rows] == [NOON - timedelta(hours=hours) for hours in (1, 2, 3)]


def test_the_next_page_of_groups_starts_after_the_last_group(project, agent):
    words = ["a", "b", "b", "c"]
    agent.post(
        *(
            an_item(f"s-{n}", timestamp=ago(hours=1), output=f"Error: {w}")
            for n, w in enumerate(words)
        )
    )
    page = failure_groups(project.pk, the_day(), size=2)
    assert page.groups[0].text == "Error: b"
    rest = failure_groups(project.pk, the_day(), size=2, after=page.next)
    assert (page.number, len(rest.groups), rest.next) == (3, 1, None)
    assert len({group.key for group in [*page.groups, *rest.groups]}) == 3


def test_a_group_first_seen_after_the_last_deployment_is_new(project, agent):
    builders.deployed(builders.a_version(project), at=NOON - timedelta(hours=5))
    agent.post(
        an_item("s-1", timestamp=ago(hours=6), output="Error: old"),
        an_item("s-1", timestamp=ago(hours=4), output="Error: old"),
        an_item("s-1", timestamp=ago(hours=4), output="Error: new"),
    )
    new = {group.text: group.new_since for group in failure_groups(project.pk, the_day()).groups}
    assert new["Error: old"] is None
    deployed = new["Error: new"]
    assert deployed
    assert (deployed.contract, deployed.version, deployed.environment) == ("rules", 1, "production")


def test_a_group_that_was_absent_for_a_day_is_marked_as_returned(project, agent):
    agent.post(
        an_item("s-1", timestamp=ago(hours=40), output="Error: back"),
        an_item("s-1", timestamp=ago(hours=16), output="Error: back"),
        an_item("s-1", timestamp=ago(hours=30), output="Error: here"),
        an_item("s-1", timestamp=ago(hours=16), output="Error: here"),
        an_item("s-1", timestamp=ago(hours=90), output="Error: gone"),
    )
    back = {group.text: group.gone_since for group in failure_groups(project.pk, the_day()).groups}
    assert back == {"Error: back": NOON - timedelta(hours=40), "Error: here": None}


def test_a_session_without_calls_in_the_period_is_not_counted(project, agent):
    """Its group has calls in it before and after the period, and in another session during it."""
    agent.post(
        *(an_item("s-1", timestamp=ago(hours=hours), output="Error: x") for hours in (50, 1)),
        *(an_item("s-2", timestamp=ago(hours=hours), output="Error: x") for hours in (49, 30, 2)),
        *(an_item("s-3", timestamp=ago(hours=hours), output="Error: x") for hours in (45, 28)),
    )
    for _ in range(2):
        day_before = Scope(since=NOON - timedelta(days=2), until=NOON - timedelta(days=1))
        (group,) = failure_groups(project.pk, day_before).groups
        assert (group.calls, group.sessions) == (3, 2)
        (group,) = failure_groups(project.pk, the_day()).groups
        assert (group.calls, group.sessions) == (2, 2)
        rolling_up.roll_up()  # unchanged after the rollup


def test_denials_are_grouped_by_reason_rule_tool_and_agent(project, agent):
    agent.post(
        a_denied_item(timestamp=ago(hours=1), decision_name="no-rm", details="rm /tmp/1"),
        a_denied_item(timestamp=ago(hours=2), decision_name="no-rm", details="rm /tmp/2"),
        a_denied_item(
            timestamp=ago(hours=2), decision_name="no-rm", details="rm /tmp/2", agent_id="b"
        ),
        a_denied_item(timestamp=ago(hours=26), reason="limit", tool_name="sql"),
    )
    page = denial_groups(project.pk, the_day())
    assert [(group.agent, group.rule, group.text, group.calls) for group in page.groups] == [
        ("bot", "no-rm", "rm /…", 2),
        ("b", "no-rm", "rm /…", 1),
    ]
    total = denials(project.pk, the_day())
    assert (total.calls, total.before, sum(total.steps)) == (3, 1, 3)
    assert [(group.name, group.calls, group.before) for group in total.by_reason] == [
        ("contract", 3, 0),
        ("limit", 0, 1),
    ]
    assert [(group.name, group.calls) for group in total.by_rule] == [("no-rm", 3), ("", 0)]
    assert [(group.name, group.calls) for group in total.by_tool] == [("query", 3), ("sql", 0)]
    assert [(group.name, group.calls) for group in total.by_agent] == [("bot", 2), ("b", 1)]
    only = denial_groups(project.pk, the_day(agent="b"))
    assert [group.agent for group in only.groups] == ["b"]
    assert denial_groups(project.pk, the_day(), rule="").groups == []
    assert denial_groups(project.pk, the_day(environment="test")).groups == []


def test_a_group_can_be_read_by_key_without_calls_in_the_scope(project, agent):
    agent.post(an_item("s-1", timestamp=ago(hours=1), output="Error: x"))
    (group,) = failure_groups(project.pk, the_day()).groups
    earlier = Scope(since=NOON - timedelta(days=9), until=NOON - timedelta(days=8))
    value = group_with(project.pk, earlier, group.key)
    assert value
    assert (value.calls, value.sessions, value.text) == (0, 0, "Error: x")
    assert group_with(project.pk, the_day(), "0" * 32) is None
    assert group_with(project.pk, the_day(), "no key") is None


@with_a_database(5)
@given(
    first=st.lists(items, min_size=15, max_size=30),
    then=st.lists(items, max_size=15),
    chosen=st.lists(scopes, min_size=4, max_size=8),
)
def test_groups_in_any_scope_match_a_recount_of_their_calls(db, first, then, chosen):
    with transaction.atomic():
        names.forget()
        project = builders.a_project()
        for env, sent in (("production", first), ("test", then), ("production", then)):
            agent = Agent(builders.bearing(builders.a_key(project, "agent", env=env)[0]))
            assert agent.post(*sent)["rejected"] == []
            rolling_up.roll_up()
        for scope in chosen:
            counted = list(recounted(project, scope))
            for of, groups_of in (("failure", failure_groups), ("denied", denial_groups)):
                right = {group["key"]: group for group in counted if group["of"] == of}
                groups = groups_of(project.pk, scope).groups
                has = {
                    group.key: {name: getattr(group, name) for name in FIELDS} for group in groups
                }
                assert has == right
                for group in groups:
                    assert len(group_calls(project.pk, scope, group.key).rows) == group.calls
            assert denials(project.pk, scope).calls == sum(
                group["calls"] for group in counted if group["of"] == "denied"
            )
        transaction.set_rollback(True)


FIELDS = (
    "key", "of", "calls", "before", "sessions", "first_at", "last_at", "gone_since", "steps",
)  # fmt: skip


def recounted(project, scope):
    """Groups with calls in the scope, counted call by call."""
    rows: dict[str, list[CallRow]] = {}
    named = CallFilter(environment=scope.environment)
    agents = dict(Call.objects.filter(project=project).values_list("agent", "agent__name"))
    for values in calls(project.pk, named).order_by().values_list(*CALL_COLUMNS):
        row = call_row_of(values)
        if group := grouping_of(row):
            rows.setdefault(f"{group.of} {digest_of_group(group).hex()}", []).append(row)
    for key, those in rows.items():
        chosen = [row for row in those if scope.agent in ("", agents[row.agent])]
        inside = [row for row in chosen if scope.since <= row.at < scope.until]
        before = [row for row in chosen if scope.previous.since <= row.at < scope.since]
        if not inside:
            continue
        times = sorted(row.at for row in those)
        earlier = [at for at in times if at < scope.since]
        again = min(at for at in times if at >= scope.since)
        is_back = earlier and again - earlier[-1] >= timedelta(hours=24)
        yield {
            "key": key.split()[1],
            "of": key.split()[0],
            "calls": len(inside),
            "before": len(before),
            "sessions": len({row.session for row in inside} - {None}),
            "first_at": times[0],
            "last_at": times[-1],
            "gone_since": earlier[-1] if is_back else None,
            "steps": [
                sum(step.start <= row.at < step.end for row in inside) for step in scope.steps()
            ],
        }

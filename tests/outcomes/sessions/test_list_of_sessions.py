"""The list of sessions: filter counts, sort orders and pages match the rows."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from governance.core.wilson import wilson
from outcomes.models import Session
from outcomes.sessions.queries import list as session_list
from outcomes.sessions.queries.list import SessionFilter, sessions_shown
from outcomes.sessions.queries.order import ORDERS, PLACE
from outcomes.sessions.queries.page import asking_sessions
from outcomes.web.paging import every
from tests import builders
from tests.governance.approvals.builders import an_approval
from tests.outcomes.approvals.test_views_approvals import asks
from tests.outcomes.pages import a_denied_item, an_item

NOW = datetime.now(UTC)


def ago(**time: float) -> str:
    return (NOW - timedelta(**time)).isoformat()


@pytest.fixture
def traffic(project, agent) -> None:
    """Five sessions of two agents in two environments, with and without everything that filters
    select."""
    fields: dict[str, Any] = {"tool_args": {"id": 1}, "turn_id": "t"}
    agent.post(
        *(an_item("s-good", agent_id="billing", timestamp=ago(hours=hour)) for hour in (9, 8, 7)),
        an_item("s-bad", agent_id="billing", output="Error: no", timestamp=ago(hours=6)),
        an_item("s-bad", agent_id="billing", timestamp=ago(hours=5)),
        *(
            a_denied_item("s-loop", agent_id="ops", timestamp=ago(hours=4, seconds=-n), **fields)
            for n in range(3)
        ),
        an_item("s-big", agent_id="ops", output="x" * 13_000, timestamp=ago(hours=3)),
        a_denied_item("s-stop", agent_id="ops", reason="limit", timestamp=ago(hours=2)),
    )
    staging = type(agent)(builders.bearing(builders.a_key(project, "ingest", env="staging")[0]))
    staging.post(an_item("s-good", agent_id="billing", timestamp=ago(hours=1)))


def facets(pages, **query: str) -> dict[str, dict[str, int]]:
    body = pages.get("sessions/", **query).content.decode()
    counts = {}
    for title, part in re.findall(r"<section>\s*<h2>([^<]*)</h2>(.*?)</section>", body, re.S):
        values = re.findall(r"<span>([^<]*)</span><span>([\d,]+)</span>", part)
        counts[title] = {html.unescape(words): int(number) for words, number in values}
    return counts


def shown(pages, **query: str) -> list[str]:
    body = pages.get("sessions/", **query).content.decode()
    return re.findall(rf'class="row-link mono" href="{pages.base}/sessions/([^/]+)/', body)


@pytest.mark.usefixtures("traffic")
def test_every_filter_value_counts_its_sessions(pages):
    counts = facets(pages)
    assert "State" not in counts  # states are in the segments above the list
    assert counts["Agent"] == {"billing": 3, "ops": 3}
    assert counts["Environment"] == {"production": 5, "staging": 1}
    assert counts["Limit hit"] == {"unknown": 1}
    assert counts["Has"] == {"Denials": 2, "Disagreements": 1, "Artifacts": 1, "Waste": 1}


QUERIES = [
    ({"agent": "ops"}, ["s-stop", "s-big", "s-loop"]),
    ({"has": "denials"}, ["s-stop", "s-loop"]),
    ({"has": "denials,waste"}, ["s-loop"]),
    ({"has": "artifacts,nonsense"}, ["s-big"]),
    ({"limit": "unknown"}, ["s-stop"]),
    ({"limit": "no such", "agent": "ops"}, []),
    ({"state": "ended", "agent": "ops"}, ["s-big", "s-loop"]),
    ({"q": "OOD"}, ["s-good", "s-good"]),
    ({"q": "bill", "environment": "production"}, ["s-bad", "s-good"]),
    ({"sort": "failures", "agent": "billing"}, ["s-bad", "s-good", "s-good"]),
    ({"sort": "-session", "agent": "ops"}, ["s-stop", "s-loop", "s-big"]),
    ({"sort": "nonsense", "agent": "ops"}, ["s-stop", "s-big", "s-loop"]),
    ({"sort": "marks", "agent": "ops"}, ["s-loop", "s-big", "s-stop"]),
    ({"sort": "-marks", "agent": "ops"}, ["s-stop", "s-big", "s-loop"]),
]


@pytest.mark.usefixtures("traffic")
def test_rows_match_the_requested_filters_and_order(pages):
    for query, sessions in QUERIES:
        assert shown(pages, **query) == sessions, query
        if "state" not in query:
            assert f"All {len(sessions)} Running" in pages.text("sessions/", **query), query


@pytest.mark.usefixtures("traffic")
def test_each_filter_link_leads_to_as_many_sessions_as_it_counts_and_back(pages):
    body = pages.get("sessions/", has="denials", sort="calls").content.decode()
    aside = body[body.index('<aside class="facets"') : body.index("</aside>")]
    links = re.findall(
        r'<a href="([^"]*)"([^>]*)>\s*<span>[^<]*</span>\s*<span>(\d+)</span>', aside
    )
    assert len(links) > 4
    for url, current, number in links:
        page = pages.client.get(html.unescape(url)).content.decode()
        rows = re.findall(r'<tr data-row="(\d+)"', page)
        assert len(rows) == (6 if current else int(number)), url
        assert "sort=calls" in url


def walked(project, name: str, *, turned: bool) -> list[Session]:
    now = datetime.now(UTC)
    filters, asking = SessionFilter(), asking_sessions(project.pk, now)

    def page(before):
        how = {"order": ORDERS[name], "turned": turned, "before": before, "size": 2}
        return sessions_shown(project.pk, filters, now, asking, **how)

    return list(every(page, PLACE))


@pytest.mark.usefixtures("traffic")
def test_every_session_is_listed_once_across_pages_in_either_direction(project):
    every_one = sorted(Session.objects.values_list("pk", flat=True))
    for name in ORDERS:
        there = [row.pk for row in walked(project, name, turned=False)]
        assert sorted(there) == every_one, name
        assert [row.pk for row in walked(project, name, turned=True)] == there[::-1], name


@pytest.mark.usefixtures("traffic")
def test_pages_in_another_order_can_be_paged_forward_and_back(pages, monkeypatch):
    monkeypatch.setattr(session_list, "SESSIONS_SHOWN", 2)
    first = pages.rows("sessions/", sort="agent")
    second = pages.links("sessions/", sort="agent")["next"].removeprefix(f"{pages.base}/")
    third = pages.links(second)["next"].removeprefix(f"{pages.base}/")
    assert len({*first, *pages.rows(second), *pages.rows(third)}) == 6
    assert pages.rows(pages.links(second)["prev"].removeprefix(f"{pages.base}/")) == first
    csv = b"".join(pages.get("sessions/", sort="agent", format="csv").streaming_content).decode()
    assert csv.index("billing") < csv.index("ops")
    assert csv.count("\n") == 7
    only = pages.get("sessions/", has="waste", format="json")
    (loop,) = json.loads(b"".join(only.streaming_content))["sessions"]
    assert (loop["session_id"], loop["waste"], loop["same_call_denied"]) == ("s-loop", 2, 3)


def test_sorting_by_rate_uses_the_upper_confidence_bound(project, agent):
    results = {"many": (3, 30), "one": (0, 1), "good": (9, 9), "none": (0, 0), "half": (5, 10)}
    agent.post(
        *(
            an_item(session, output={"ok": 1} if n < good else "Error: x")
            for session, (good, calls) in results.items()
            for n in range(calls)
        ),
        a_denied_item("none"),
    )
    by_bound = sorted(
        (session for session in results if results[session][1]),
        key=lambda session: wilson(*results[session])[1],
    )
    ids = [row.session_id for row in walked(project, "rate", turned=False)]
    assert ids == [*by_bound, "none"]


def test_sorting_by_state_lists_stopped_then_waiting_running_and_ended(project, agent, pages):
    old = ago(hours=1)
    for item in (
        an_item("ended", timestamp=old),
        an_item("waits", timestamp=old),
        an_item("runs"),
        a_denied_item("stopped", reason="limit", timestamp=old),
        an_item("also-ended", timestamp=old),
        an_item("also-runs"),
    ):
        agent.post(item)
    an_approval(project, session_id="waits")
    asks(agent, an_approval(project, session_id=""), run_id="behind-a-call")
    sorted_rows = [
        "stopped", "behind-a-call", "waits", "also-runs", "runs", "also-ended", "ended",
    ]  # fmt: skip
    for name, rows in (("state", sorted_rows), ("-state", sorted_rows[::-1])):
        value = walked(project, name.removeprefix("-"), turned=name != "state")
        assert [row.session_id for row in value] == rows
        assert shown(pages, sort=name) == rows
    head = '<a href="[^"]*sort=-state" title="Sort: ended first">'
    assert re.search(head, pages.get("sessions/", sort="state").content.decode())


def test_sorting_by_marks_sums_them_and_lists_the_newest_first_among_equals(agent, project, pages):
    fields: dict[str, Any] = {"tool_args": {"id": 1}, "turn_id": "t"}
    for item in (
        an_item("none"),
        an_item("an-artifact", output="x" * 13_000),
        *(a_denied_item("looped", **fields) for _ in range(4)),
        an_item("two-kinds", output="x" * 13_000),
        an_item("two-kinds", output="Error: no", tool_success=True),
        an_item("also-none"),
    ):
        agent.post(item)
    rows = walked(project, "marks", turned=False)
    assert [(row.session_id, row.disagreements + row.waste + row.artifacts) for row in rows] == [
        ("looped", 3), ("two-kinds", 2), ("an-artifact", 1), ("also-none", 0), ("none", 0),
    ]  # fmt: skip
    assert shown(pages, sort="marks") == [row.session_id for row in rows]


@pytest.mark.usefixtures("traffic")
@pytest.mark.parametrize("name", ["state", "-state", "marks", "-marks"])
def test_files_have_the_same_order_as_the_list(pages, name):
    file = pages.get("sessions/", sort=name, format="json")
    rows = json.loads(b"".join(file.streaming_content))["sessions"]
    assert [row["session_id"] for row in rows] == shown(pages, sort=name)


@pytest.mark.usefixtures("traffic")
def test_only_the_newest_of_very_many_sessions_are_counted_and_the_page_says_so(pages, monkeypatch):
    monkeypatch.setattr("outcomes.sessions.queries.groups.EXACT_UP_TO", 3)
    monkeypatch.setattr("outcomes.sessions.views.sessions.EXACT_UP_TO", 3)
    text = pages.text("sessions/", sort="lasted")
    assert "More than 3 sessions. Newest: 1 of 4 sessions hit a limit" in text
    assert "Counts cover the newest 3 sessions of this period." in text
    assert shown(pages, sort="lasted") == shown(pages)
    assert shown(pages, sort="failures")[0] == "s-bad"
    assert shown(pages, q="s-l") == ["s-loop"]
    assert shown(pages, q="s-b") == ["s-big"]  # the other match is older
    assert "sort=lasted" not in pages.get("sessions/").content.decode()


@pytest.mark.usefixtures("traffic")
def test_a_search_longer_than_any_id_matches_nothing(pages):
    assert "No sessions match these filters." in pages.text("sessions/", q="s" * 60_000)


@pytest.mark.usefixtures("traffic")
def test_filters_remain_visible_without_matches(pages):
    counts = facets(pages, q="nothing-has-this-name")
    assert counts["Agent"] == {"billing": 0, "ops": 0}
    assert counts["Environment"] == {"production": 0, "staging": 0}
    assert "with-facets" in pages.get("sessions/", q="nothing-has-this-name").text


def test_a_project_without_sessions_has_no_filters(pages):
    assert "with-facets" not in pages.get("sessions/").text


@pytest.mark.usefixtures("traffic")
def test_the_headline_counts_the_chosen_state(pages):
    assert "1 session hit a limit" in pages.text("sessions/", state="stopped")
    assert "5 ended sessions" in pages.text("sessions/", state="ended")


def heads(pages, **query: str) -> list[str]:
    body = pages.get("sessions/", **query).text
    head = re.search(r"<thead>(.*?)</thead>", body, re.S)
    assert head is not None
    return [" ".join(re.sub(r"<[^>]*>", " ", each).split()) for each in head[1].split("</th>")][:-1]


@pytest.mark.usefixtures("traffic")
def test_selected_columns_are_remembered_and_the_filters_preserved(pages):
    assert heads(pages) == [
        "Session", "Agent", "Environment", "Calls", "Success", "Denied", "State", "Last seen",
    ]  # fmt: skip
    chosen = {"column": ["lasted", "contract", "nonsense"], "query": "state=ended&q=s-"}
    answer = pages.client.post(f"{pages.base}/session-columns/", chosen)
    assert answer["Location"] == f"{pages.base}/sessions/?state=ended&q=s-"
    assert heads(pages) == ["Session", "Contract", "Lasted"]
    assert heads(pages, state="ended") == ["Session", "Contract", "Lasted"]
    pages.client.post(f"{pages.base}/session-columns/", {"query": ""})
    assert heads(pages) == ["Session"]


@pytest.mark.usefixtures("traffic")
def test_a_single_environment_has_no_column(pages):
    assert "Environment" not in heads(pages, environment="staging")

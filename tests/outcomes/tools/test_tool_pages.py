"""The list of tools and the tool page."""

import csv
import html
import io
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from random import Random
from urllib.parse import quote

import pytest
from django.urls import reverse

from outcomes.core.durations import bucket_of
from outcomes.core.moments import Span
from outcomes.core.scope import scope_from
from outcomes.figures.domain.figures import Figures
from outcomes.models import Call
from outcomes.tools.queries.list import tools_in
from outcomes.tools.queries.slowest import slowest_calls
from outcomes.tools.queries.tools import periods_of_tool, tool_named
from outcomes.web.addresses import tool_url
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import a_denied_item, an_item, text_of
from tests.outcomes.waiting_jobs import scanned

NOT_OK = {"is_error": True}
ODD = ["a/b c", "..", "-", "käse-löschen", "<b>&amp;", "line\nbreak", "?x=1#y", "n" * 1_024]


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def calls(tool: str, good: int, bad: int, **fields):
    return [
        an_item(tool_name=tool, output={"ok": True} if at < good else NOT_OK, **fields)
        for at in range(good + bad)
    ]


def row_of(body: str, tool: str) -> str:
    (matches,) = re.findall(rf'<tr data-row="tool-{re.escape(tool)}">(.*?)</tr>', body, flags=re.S)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", matches))).strip()


def tools_of(body: str) -> list[str]:
    return re.findall(r'<tr data-row="tool-([^"]*)"', body)


def tile(body: str, name: str) -> str:
    (matches,) = re.findall(rf'data-row="tile-{name}">(.*?)</(?:a|div)>', body, flags=re.S)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", matches))).strip()


@pytest.fixture
def traffic(agent) -> None:
    agent.post(
        *calls("crm", 20, 20, elapsed_ms=80),
        *calls("crm", 40, 0, timestamp=ago(hours=30), elapsed_ms=40),
        *calls("docs", 3, 0, elapsed_ms=9, agent_id="reader"),
        *calls("docs", 2, 0, elapsed_ms=9, timestamp=ago(hours=30)),
        *[a_denied_item(tool_name="pay") for _ in range(3)],
    )


@pytest.mark.usefixtures("traffic")
def test_tools_are_listed_worst_first_and_compared_with_the_previous_period(pages):
    page = pages.get("tools/")
    body = page.content.decode()
    assert "crm success down to 50.0 % from 100.0 %" in text_of(page)
    assert tools_of(body) == ["crm", "docs", "pay"]
    row = row_of(body, "crm")
    assert row.startswith("crm 50.0 % of 40 \N{MINUS SIGN}50.0 vs 100.0 %")
    assert "40 vs 40 20 vs 0 20 vs 0 0 80 ms vs 40 ms 80 ms vs 40 ms" in row
    assert row.endswith("default")
    assert row_of(body, "pay").startswith("pay none ran")
    assert "43 calls ran, 3 denied, 20 disagreements · Bar" in text_of(page)


@pytest.mark.usefixtures("traffic")
def test_each_figure_links_to_exactly_the_calls_it_counts(pages):
    body = pages.get("tools/").content.decode()
    for name, number in (("ran-failed", 20), ("disagree", 20), ("denied", 3)):
        (link,) = re.findall(rf'href="([^"]*show={name})"', body)
        rows = pages.client.get(html.unescape(link)).content.decode()
        assert rows.count('<tr data-row="') == number


@pytest.mark.usefixtures("traffic")
def test_each_chart_column_links_to_its_calls(pages, project):
    body = pages.client.get(tool_url(project.slug, "docs")).content.decode()
    shown = pages.client.get(html.unescape(re.findall(r'href="([^"]*from=[^"]*)"', body)[-1]))
    assert shown.content.decode().count('<tr data-row="') == 3


@pytest.mark.usefixtures("traffic")
def test_the_list_can_be_sorted_by_any_column_and_searched_by_name(pages):
    def shown(**query):
        return tools_of(pages.get("tools/", **query).content.decode())

    assert shown(sort="tool") == ["crm", "docs", "pay"]
    assert shown(sort="-tool") == ["pay", "docs", "crm"]
    assert shown(sort="denied") == ["pay", "crm", "docs"]
    assert shown(sort="p95") == ["crm", "docs", "pay"]
    assert shown(sort="-p95") == ["docs", "crm", "pay"]
    assert shown(sort="nonsense", q=" DOC ") == ["docs"]
    assert "No matches" in pages.text("tools/", q="nothing")
    page = pages.get("tools/", sort="-p95", q="c").content.decode()
    assert 'aria-sort="ascending"' in page
    assert 'name="sort" value="-p95"' in page


@pytest.mark.usefixtures("traffic")
def test_each_tool_names_the_check_that_applies(pages, project):
    a_check(project)
    bound(project, "crm mine")
    body = pages.get("tools/").content.decode()
    assert row_of(body, "crm").endswith("mine v1 row 1")
    assert tools_of(pages.get("tools/", check="none").content.decode()) == ["docs", "pay"]
    by_check = pages.get("tools/", sort="-check").content.decode()
    assert tools_of(by_check) == ["crm", "docs", "pay"]
    assert tools_of(pages.get("tools/", sort="check").content.decode()) == ["docs", "pay", "crm"]
    assert "Default check only 2" in text_of(pages.get("tools/"))
    assert "mine v1 , row 1 of the bindings" in pages.text("tools/crm/")
    assert "no check is bound. An agent's own check takes precedence." in pages.text("tools/docs/")


@pytest.mark.usefixtures("traffic")
def test_the_tool_page_states_the_success_rate_and_where_the_tool_fails(pages):
    page = pages.get("tools/crm/")
    body, text = page.content.decode(), text_of(page)
    assert "crm success down to 50.0 % from 100.0 %" in text
    assert "Agents missed 20 of 20 failures." in text
    assert tile(body, "rate").startswith("Success rate 50.0 % of 40")
    assert tile(body, "failed").startswith("Ran, but failed 20 of 40 that ran vs 0 of 40")
    assert tile(body, "took").endswith(
        "vs 40 ms p50 80 ms, p99 80 ms The 95th percentile over time"
    )
    assert "Similar failures" in text  # a link without JavaScript
    assert "crm was not called" in pages.text("tools/crm/", agent="reader")


@pytest.mark.usefixtures("traffic")
def test_similar_failures_are_grouped_and_linked_to_their_calls(pages):
    page = pages.get("live/tool-groups/", of="crm")
    assert "20 failures in 1 group" in text_of(page)
    assert re.search(r"check default 20 vs 0 1 ", text_of(page))
    (link,) = re.findall(r'href="([^"]*/groups/[^"]*)"', page.content.decode())
    group = pages.client.get(html.unescape(link))
    assert "crm : 20 calls failed this way in the last 24 hours" in text_of(group)
    assert group.content.decode().count('<tr data-row="') == 20
    assert "20 failures" not in pages.text("live/tool-groups/", of="crm", agent="reader")
    assert "No failures" in pages.text("live/tool-groups/", of="docs")


@pytest.mark.usefixtures("traffic")
def test_the_tool_page_lists_patterns_slow_calls_and_agents(pages, project, agent):
    agent.post(*calls("crm", 1, 0, call_id="slow-one", elapsed_ms=9_000, agent_id="other"))
    results = pages.text("live/tool-results/", of="crm")
    assert "2 patterns in the newest 41 outputs" in results
    assert "{is_error: true} 20 all failures" in results
    slowest = pages.get("live/tool-calls/", of="crm").content.decode()
    assert re.findall(r'data-row="slow-\d+"', slowest)[0]
    assert "slow-one other Executed 9.0 s" in text_of(pages.get("live/tool-calls/", of="crm"))
    assert "bot 40 vs 40" in text_of(pages.get("live/tool-calls/", of="crm"))


def test_the_headline_states_doubt_instead_of_success(pages, agent, project):
    silent = [an_item(tool_name="lookup", output={"ok": False}) for _ in range(6)]
    agent.post(*silent, *calls("lookup", 4, 0), *calls("docs", 9, 0))
    scanned(project)
    page = pages.get("tools/lookup/")
    words = "6 of 10 outputs look like failures, and no check covers them"
    assert f"lookup : {words}" in text_of(page)
    assert "All from bot ." in text_of(page)
    assert "succeeded" not in text_of(page)
    assert tile(page.content.decode(), "rate").startswith(
        "Success rate, in doubt 40.0 % to 100.0 % 6 of 10 in doubt 10 of 10 sent an output"
    )
    assert "In doubt 6" in text_of(page)
    assert "If all 6 failed 40.0 % As counted 100.0 %" in text_of(page)
    listed = pages.get("tools/")
    assert f"lookup : {words}" in text_of(listed)
    assert tools_of(listed.content.decode()) == ["lookup", "docs"]
    row = row_of(listed.content.decode(), "lookup")
    assert "6 look like failures 40.0\N{EN DASH}100.0 % of 10 6 in doubt" in row
    assert "docs" in row_of(listed.content.decode(), "docs")
    assert "in doubt" not in row_of(listed.content.decode(), "docs")
    agents = pages.text("live/tool-calls/", of="lookup")
    assert "40.0\N{EN DASH}100.0 % of 10 6 in doubt" in agents


def test_a_tool_without_outputs_says_that_nothing_was_checked(pages, agent):
    agent.post(*[an_item(tool_name="hello", output=None) for _ in range(24)])
    page = pages.get("tools/hello/")
    words = "24 calls reported success. None sent an output, so none was checked."
    assert f"hello : {words}" in text_of(page)
    assert "Report outputs with edictum-site-client" in text_of(page)
    assert "**console.guard_options()" in text_of(page)
    assert tile(page.content.decode(), "rate").startswith(
        "Reported success, not checked 100.0 % of 24 none of 24 sent an output"
    )
    listed = pages.get("tools/")
    assert words in text_of(listed)
    assert "100.0 % of 24 none checked" in row_of(listed.content.decode(), "hello")


@pytest.mark.parametrize("name", ODD)
def test_a_tool_name_can_contain_any_characters(pages, agent, project, name):
    agent.post(*calls(name, 1, 0))
    body = pages.get("tools/").content.decode()
    (link,) = re.findall(r'class="row-link mono" href="([^"]*)"', body)
    assert html.unescape(link).startswith(tool_url(project.slug, name).partition("?")[0])
    page = pages.client.get(html.unescape(link))
    assert page.status_code == 200
    for part in re.findall(r'hx-get="([^"]*)"', page.content.decode()):
        assert pages.client.get(html.unescape(part)).status_code in (200, 204)


def test_the_list_of_tools_is_paginated(pages, agent, monkeypatch):
    monkeypatch.setattr("outcomes.tools.views.tools.SHOWN", 3)
    agent.post(*[an_item(tool_name=f"t-{at}") for at in range(7)])
    seen, path, number = list[str](), "tools/?sort=tool", 0
    while path:
        body = pages.client.get(f"{pages.base}/{path}").content.decode()
        assert "of 7 tools" in body
        seen += tools_of(body)
        following = re.findall(r'rel="next" href="[^"]*/(tools/[^"]*)"', body)
        path, number = html.unescape(following[0]) if following else "", number + 1
    assert (seen, number) == ([f"t-{at}" for at in range(7)], 3)
    assert tools_of(pages.get("tools/", place="900").content.decode()) == ["t-0", "t-1", "t-2"]


def test_a_tool_that_was_never_called_is_404(pages, agent):
    agent.post(an_item())
    assert pages.get(f"tools/{quote('nothing/at all', safe='')}/").status_code == 404
    assert pages.get("live/tool-calls/", of="nothing").status_code == 404
    assert "No failures" in pages.text("live/tool-groups/", of="nothing")
    assert pages.get(f"groups/{'0' * 32}/").status_code == 404
    assert pages.get("groups/nonsense/").status_code == 404
    assert pages.get("groups/nonsense/", format="csv").status_code == 404


def test_a_period_without_calls_has_an_empty_state(pages, agent):
    assert "No tool calls in the last 24 hours" in pages.text("tools/")
    agent.post(an_item(timestamp=ago(days=9)))
    assert "No tools in this range" in pages.text("tools/")
    assert "No tools in this range" not in pages.text("tools/", range="30d")
    assert "No calls in this range" in pages.text("tools/query/")


@pytest.mark.usefixtures("traffic")
def test_tool_tables_can_be_downloaded(pages):
    def rows(path, **query):
        answer = pages.get(path, format="csv", **query)
        text = b"".join(answer.streaming_content).decode()
        return list(csv.DictReader(io.StringIO(text, newline="")))

    listed = rows("tools/", sort="-calls", check="none")
    assert [row["tool_name"] for row in listed] == ["docs", "pay", "crm"]
    assert (listed[2]["failures"], listed[2]["rate_before"]) == ("20", "1.0")
    (group,) = rows("live/tool-groups/", of="crm")
    assert (group["calls"], group["sessions"]) == ("20", "1")
    assert len(rows("live/tool-calls/", of="crm")) == 10
    (agents,) = rows("live/tool-calls/", of="crm", table="agents")
    assert (agents["agent_id"], agents["calls_before"]) == ("bot", "40")
    key = re.search(r"/groups/(\w+)/", pages.get("live/tool-groups/", of="crm").content.decode())
    assert key is not None
    assert len(rows(f"groups/{key[1]}/")) == 20


@pytest.mark.usefixtures("traffic")
def test_live_sections_update_only_after_a_change(pages, agent):
    by_script = {"HX-Request": "true"}
    for path in ("tools/", "tools/crm/", "live/tool-groups/"):
        fields = {"range": "30d", "of": "crm"}
        answer = pages.client.get(f"{pages.base}/{path}", fields, headers=by_script)
        body = answer.content.decode()
        (live,) = re.findall(r'data-live hx-get="([^"]*)"', body)
        answer = pages.client.get(html.unescape(live), headers=by_script)
        # The minute may have changed in the meantime.
        assert answer.status_code == 204 or "data-live" in answer.content.decode()
        agent.post(*calls("crm", 1, 0))
        fresh = pages.client.get(html.unescape(live), headers=by_script).content.decode()
        assert "data-live" in fresh
        assert ('id="sentence" hx-swap-oob="true"' in fresh) == (path != "live/tool-groups/")


def test_the_tool_pages_use_at_most_fourteen_queries(
    pages, agent, project, django_assert_max_num_queries
):
    a_check(project)
    bound(project, "t-1 mine")
    agent.post(
        *[an_item(f"s-{at}", tool_name=f"t-{at}", elapsed_ms=at) for at in range(60)],
        *[
            an_item(f"s-{at}", tool_name="t-1", agent_id=f"a-{at}", output=NOT_OK)
            for at in range(60)
        ],
    )
    parts = [f"live/tool-{part}/?of=t-1" for part in ("calls", "groups", "results")]
    for path in ("tools/", "tools/t-1/", *parts):
        address = f"{pages.base}/{path}"
        pages.client.get(address)
        for scope in ("range=7d", "range=7d&agent=a-7&environment=production"):
            for headers in ({}, {"HX-Request": "true"}):
                with django_assert_max_num_queries(14):
                    request = f"{address}{'&' if '?' in address else '?'}{scope}"
                    pages.client.get(request, headers=headers)


def test_every_tool_figure_matches_the_stats_api_and_a_recount(pages, agent, reader, project):
    """Random traffic, in scopes that cut minutes, hours and days of another time zone."""
    chance, now = Random(7), datetime.now(UTC)  # noqa: S311 - the same traffic each time
    for _ in range(4):
        agent.post(
            *[
                an_item(
                    tool_name=chance.choice(["crm", "docs", "http"]),
                    agent_id=chance.choice(["one", "two"]),
                    output=chance.choice([{"ok": 1}, NOT_OK]),
                    elapsed_ms=chance.choice([None, 0, 5, 700, chance.random() * 5_000]),
                    timestamp=(now - timedelta(minutes=chance.random() * 9_000)).isoformat(),
                )
                if chance.random() < 0.8
                else a_denied_item(tool_name="crm", timestamp=ago(minutes=chance.random() * 9_000))
                for _ in range(120)
            ]
        )
    for request in ({"range": "24h"}, {"range": "7d", "agent": "one"}, {"range": "1h"}):
        scope = scope_from(request, now=now, zone=UTC)
        should = recounted(Span(scope.since, scope.until), request.get("agent"))
        before = recounted(Span(scope.previous.since, scope.since), request.get("agent"))
        tools = tools_in(project.pk, scope, {})
        counted = {row.name: row for row in tools.rows}
        for place, step in enumerate(scope.steps()):
            rates = {
                name: each.rate for name, each in recounted(step, request.get("agent")).items()
            }
            assert {name: each[place] for name, each in tools.rates.items()} == {
                name: rates.get(name) for name in counted
            }
        assert {name: row.now for name, row in counted.items()} == should
        assert all(row.before == before.get(name, Figures()) for name, row in counted.items())
        for name in should:
            named = tool_named(project.pk, name, scope)
            assert named is not None
            of_it, then = periods_of_tool(named, scope)
            assert of_it.total == should[name]
            assert then.total == before.get(name, Figures())
            assert slowest_calls(named, scope).calls == slowest(named, scope)
        body = reader.get("/v1/stats", {"by": "tool", **parameters_of(scope)}).json()["rows"]
        assert {row["key"]: (row["calls"], row["rate"], row["denied"]) for row in body} == {
            name: (row.now.calls, row.now.rate, row.now.denied) for name, row in counted.items()
        }


def parameters_of(scope) -> dict[str, str]:
    times = {"since": scope.since.isoformat(), "until": scope.until.isoformat()}
    return times | ({"agent": scope.agent} if scope.agent else {})


def slowest(named, scope) -> list[Call]:
    rows = Call.objects.filter(tool=named.tool, elapsed_ms__isnull=False)
    rows = rows.filter(at__gte=scope.since, at__lt=scope.until)
    if scope.agent:
        rows = rows.filter(agent__name=scope.agent)
    return list(rows.order_by("-elapsed_ms", "-at", "-order")[:10])


def recounted(span: Span, agent: str | None) -> dict[str, Figures]:
    result: defaultdict[str, Figures] = defaultdict(Figures)
    rows = Call.objects.filter(at__gte=span.start, at__lt=span.end).select_related("tool", "agent")
    for row in rows:
        if agent in (None, row.agent.name):
            of_tool = result[row.tool.name]
            became, unchecked = (row.kind, row.verdict, row.reason), row.classified == ""
            of_tool.add(became, 1, int(row.disagreement), unchecked=unchecked and row.verdict != "")
            if row.elapsed_ms is not None:
                of_tool.durations[bucket_of(row.elapsed_ms)] += 1
    return dict(result)


def test_the_navigation_links_to_the_tools_page(pages):
    page = pages.get("tools/")
    address = reverse("outcomes:tools", args=[page.context["project"].slug])
    assert f'href="{address}' in page.content.decode()

"""The overview page: whether everything is fine, and if not, what is wrong."""

import html
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from governance import findings
from governance.core.roles import Role
from tests.outcomes.pages import a_denied_item, an_item, text_of, tile
from tests.outcomes.waiting_jobs import scanned

NOT_OK = {"is_error": True}


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def calls(tool: str, good: int, bad: int, **fields):
    return [
        an_item(tool_name=tool, output={"ok": True} if at < good else NOT_OK, **fields)
        for at in range(good + bad)
    ]


def test_an_empty_project_links_to_the_start_page(pages, django_assert_max_num_queries):
    pages.get("overview/")
    with django_assert_max_num_queries(14):
        body = pages.get("overview/")
    assert "No calls yet" in text_of(body)
    assert reverse("first_hour:start", args=[body.context["project"].slug]) in body.content.decode()


@pytest.mark.parametrize(
    "path", ["overview/", "approvals/", "live/approvals/", "sessions/", "calls/"]
)
def test_an_impossible_agent_name_is_ignored(pages, agent, path):
    agent.post(an_item())
    for name in ("\0", "a\0b"):
        assert pages.get(path, agent=name, environment=name).status_code == 200


def test_a_period_without_calls_has_its_own_empty_state(pages, agent):
    agent.post(an_item(timestamp=ago(days=9)))
    text = pages.text("overview/")
    assert "No calls in this range" in text
    assert "No calls yet" not in text
    assert "No calls in this range" not in pages.text("overview/", range="30d")


def test_a_tool_called_only_in_the_previous_period_is_listed_only_in_the_file(pages, agent):
    agent.post(*calls("crm", 1, 0), *calls("billing", 2, 0, timestamp=ago(hours=30)))
    assert "1 of 1 tool" in pages.text("overview/", range="24h")
    file = pages.get("overview/", range="24h", table="tools", format="json").getvalue()
    (rows,) = json.loads(file).values()
    called = {row["tool_name"]: (row["calls"], row["calls_before"]) for row in rows}
    assert called == {"crm": (1, 0), "billing": (0, 2)}


def test_figures_are_compared_with_the_previous_period(pages, agent):
    agent.post(
        *calls("crm", 3, 1),
        a_denied_item(),
        *calls("crm", 2, 0, timestamp=ago(hours=30)),
        *calls("crm", 9, 0, timestamp=ago(hours=60)),
    )
    body = pages.get("overview/").content.decode()
    assert tile(body, "rate").startswith(
        "Success rate 75.0 % of 4 \N{MINUS SIGN}25.0 pts vs 100.0 % of 2 4 of 4 sent an output"
    )
    assert tile(body, "denied").startswith("Denied 1 of 5 vs 0 of 2")
    # Each call was reported as a success.
    assert tile(body, "disagreements").startswith("Disagreements 1 of 4 vs 0 of 2")
    assert tile(body, "stopped").startswith("Hit a limit 0 of 1 session")
    assert "No open alerts. 75.0 % of 4 calls succeeded" in text_of(pages.get("overview/"))


def test_the_headline_names_a_tool_whose_success_rate_dropped(pages, agent):
    agent.post(
        *calls("crm_update", 20, 20),
        *calls("other", 40, 0),
        *calls("crm_update", 40, 0, timestamp=ago(hours=30)),
        *calls("other", 40, 0, timestamp=ago(hours=30)),
    )
    page = pages.get("overview/")
    body, text = page.content.decode(), text_of(page)
    assert "crm_update success down to 50.0 % from 100.0 %" in text
    assert "75.0 % of 80 calls succeeded · 80 of 80 sent an output" in text
    # The least reliable tool is first, whatever its name.
    assert re.findall(r'data-row="tool-([^"]*)"', body) == ["crm_update", "other"]


def test_the_card_lists_the_first_alerts(pages, agent, project):
    agent.post(an_item())
    for number in range(12):
        details = findings.Details(title=f"alert {number}", why="So.", impact=number)
        findings.sync_findings(project.pk, [f"odd-{number}"], {(f"odd-{number}", "it"): details})
    text = pages.text("overview/", environment="staging")
    assert "alert 11, 11 more open" in text
    assert "6 of 12 open, worst first" in text
    assert [int(each) for each in re.findall(r"alert (\d+)", text)[1:]] == list(range(11, 5, -1))
    assert "Alerts 12 open" in text  # in the navigation


def test_doubt_is_in_the_headline_and_next_to_the_rate(pages, agent, project):
    silent = [an_item(tool_name="lookup", output={"ok": False}) for _ in range(6)]
    agent.post(*silent, *calls("lookup", 4, 0), *calls("docs", 10, 0))
    scanned(project)
    page = pages.get("overview/")
    words = "lookup : 6 of 10 outputs look like failures, and no check covers them"
    assert words in text_of(page)
    assert "100.0 % of 20 calls succeeded, 70.0 % if the 6 in doubt failed" in text_of(page)
    assert tile(page.content.decode(), "rate").startswith(
        "Success rate, in doubt 70.0 % to 100.0 % 6 of 20 in doubt 20 of 20 sent an output"
    )
    assert re.findall(r'data-row="tool-([^"]*)"', page.content.decode()) == ["lookup", "docs"]


def test_calls_without_outputs_are_not_reported_as_successful(pages, agent):
    agent.post(*[an_item(tool_name="hello", output=None) for _ in range(24)])
    text = pages.text("overview/")
    assert "24 calls reported success. None sent an output, so none was checked." in text
    assert "succeeded" not in text.replace("whether they succeeded", "")
    assert "**console.guard_options()" in text


def test_the_page_respects_its_scope(pages, agent):
    agent.post(*calls("crm", 3, 0, agent_id="one"), *calls("web", 1, 1, agent_id="two"))
    body = pages.get("overview/", agent="two").content.decode()
    assert tile(body, "rate").startswith("Success rate 50.0 % of 2")
    assert re.findall(r'data-row="tool-([^"]*)"', body) == ["web"]
    assert "agent=two" in body
    assert "show=disagree" in body  # the disagreements page covers all agents
    other = pages.get("overview/", environment="staging").content.decode()
    assert tile(other, "rate") == "Success rate \N{EN DASH} none ran"


def test_the_live_section_updates_only_after_a_change(
    pages, agent, project, django_assert_max_num_queries
):
    agent.post(an_item())
    body = pages.get("overview/", range="30d").content.decode()
    (live,) = re.findall(r'id="overview" data-live hx-get="([^"]*)"', body)
    again = html.unescape(live)
    with django_assert_max_num_queries(5):
        answer = pages.client.get(again)
    # The minute may have changed in the meantime.
    assert answer.status_code == 204 or 'id="overview"' in answer.content.decode()
    agent.post(an_item())
    fresh = pages.client.get(again).content.decode()
    assert tile(fresh, "rate").startswith("Success rate 100.0 % of 2")
    assert 'id="sentence" hx-swap-oob="true"' in fresh
    findings.open_finding(project.pk, "silent_failures", "crm", why="They said ok: false.")
    (live,) = re.findall(r'data-live hx-get="([^"]*)"', fresh)
    assert "Failures counted as success" in pages.client.get(html.unescape(live)).content.decode()


def test_the_overview_uses_at_most_fourteen_queries(
    pages, agent, project, django_assert_max_num_queries
):
    agent.post(
        *[a_denied_item(f"s-{number % 7}") for number in range(60)],
        *[an_item(f"s-{number}", tool_name=f"t-{number}") for number in range(60)],
    )
    findings.open_finding(project.pk, "silent_failures", "crm", why="They said ok: false.")
    pages.get("overview/")
    with django_assert_max_num_queries(14):
        pages.get("overview/", range="7d")


def test_the_project_url_redirects_to_the_overview_with_its_scope(project, client_as):
    answer = client_as(Role.VIEWER).get(f"/p/{project.slug}/?range=7d")
    assert answer.status_code == 302
    assert answer["Location"] == reverse("outcomes:overview", args=[project.slug]) + "?range=7d"


@pytest.mark.parametrize("name", ["live", "15m", "1h", "6h", "24h", "7d", "30d", "90d"])
def test_every_range_has_a_complete_chart(pages, agent, name):
    agent.post(an_item(), an_item())
    body = pages.get("overview/", range=name).content.decode()
    assert tile(body, "rate").startswith("Success rate 100.0 % of 2")
    assert 'class="fill-executed"' in body

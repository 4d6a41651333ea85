"""The first page: is everything all right, and if not, where."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from governance import findings
from governance.core.roles import Role
from outcomes.models import Batch
from tests.outcomes.pages import a_denied_item, an_item, text_of, tile

NOT_OK = {"is_error": True}


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def calls(tool: str, good: int, bad: int, **fields):
    return [
        an_item(tool_name=tool, output={"ok": True} if at < good else NOT_OK, **fields)
        for at in range(good + bad)
    ]


def test_an_empty_project_is_led_to_its_first_outcome(pages, django_assert_max_num_queries):
    pages.get("overview/")
    with django_assert_max_num_queries(12):
        body = pages.get("overview/")
    assert "Nothing has arrived in this project yet." in text_of(body)
    assert reverse("first_hour:start", args=[body.context["project"].slug]) in body.content.decode()


@pytest.mark.parametrize(
    "path", ["overview/", "approvals/", "live/approvals/", "sessions/", "calls/"]
)
def test_an_agent_of_no_name_that_there_can_be_is_passed_over(pages, agent, path):
    agent.post(an_item())
    for name in ("\0", "a\0b"):
        assert pages.get(path, agent=name, environment=name).status_code == 200


def test_a_time_without_a_call_offers_a_longer_one(pages, agent):
    agent.post(an_item(timestamp=ago(days=9)))
    text = pages.text("overview/")
    assert "No call in this time" in text
    assert "Nothing has arrived" not in text
    assert "No call in this time" not in pages.text("overview/", range="30d")


def test_a_tool_that_is_called_no_more_is_in_the_file_alone(pages, agent):
    agent.post(*calls("crm", 1, 0), *calls("billing", 2, 0, timestamp=ago(hours=30)))
    assert "1 of 1 tool called" in pages.text("overview/", range="24h")
    file = pages.get("overview/", range="24h", table="tools", format="json").getvalue()
    (rows,) = json.loads(file).values()
    told = {row["tool_name"]: (row["calls"], row["calls_before"]) for row in rows}
    assert told == {"crm": (1, 0), "billing": (0, 2)}


def test_figures_stand_beside_those_of_the_time_before(pages, agent):
    agent.post(
        *calls("crm", 3, 1),
        a_denied_item(),
        *calls("crm", 2, 0, timestamp=ago(hours=30)),
        *calls("crm", 9, 0, timestamp=ago(hours=60)),
    )
    body = pages.get("overview/").content.decode()
    assert tile(body, "rate").startswith(
        "Success rate 75.0 % of 4 \N{MINUS SIGN}25.0 points, was 100.0 % of 2"
    )
    assert tile(body, "denied").startswith("Denied 1 of 5 was 0 of 2")
    # Each agent said that it succeeded.
    assert tile(body, "disagreements").startswith("Disagreements 1 of 4 was 0 of 2")
    assert tile(body, "stopped").startswith("Stopped by a limit 0 of 1 session")
    assert "75.0 % of 4 calls succeeded." in text_of(pages.get("overview/"))


def test_a_tool_that_fell_is_named_and_leads_to_its_calls(pages, agent):
    agent.post(
        *calls("crm_update", 20, 20),
        *calls("other", 40, 0),
        *calls("crm_update", 40, 0, timestamp=ago(hours=30)),
        *calls("other", 40, 0, timestamp=ago(hours=30)),
    )
    page = pages.get("overview/")
    body, text = page.content.decode(), text_of(page)
    assert "One thing needs attention. Success fell from 100.0 to 75.0 %" in text
    assert "almost all of it in crm_update" in text
    (link,) = re.findall(r'href="([^"]*)"><code>crm_update</code> succeeds less', body)
    rows = pages.client.get(html.unescape(link)).content.decode()
    assert rows.count('<tr data-row="') == 20
    # The least reliable stands first, whatever its name.
    assert re.findall(r'data-row="tool-([^"]*)"', body) == ["crm_update", "other"]


def test_few_calls_are_no_news(pages, agent):
    agent.post(*calls("crm", 0, 3), *calls("crm", 40, 0, timestamp=ago(hours=30)))
    assert "Nothing needs attention." in pages.text("overview/")


def test_the_same_call_denied_again_and_again_is_a_loop(pages, agent):
    refused: dict[str, Any] = {"tool_args": {"id": 7}, "agent_id": "collector"}
    agent.post(
        *[a_denied_item("s-loop", details="needs a ticket", **refused) for _ in range(25)],
        *[a_denied_item("s-loop", tool_args={"id": number}) for number in range(20, 40)],
    )
    page = pages.get("overview/")
    text = text_of(page)
    assert "One thing needs attention." in text
    assert "25 times in one session" in text
    assert "collector , session s-loop : the same call" in text
    assert "sessions/s-loop/?environment=production&amp;show=denied#calls" in page.content.decode()


def test_what_was_noticed_and_what_is_set_aside_stand_there_too_and_ten_at_most(
    pages, agent, project
):
    agent.post(an_item())
    Batch.objects.create(
        project=project,
        environment=project.environments.get(),
        items=9,
        set_aside_at=datetime.now(UTC),
        received_at=datetime.now(UTC),
        body=b"",
    )
    for number in range(12):
        findings.found(project.pk, "silent_failures", f"tool-{number}", why="They said ok: false.")
    text = pages.text("overview/")
    assert "13 things need attention." in text
    assert "10 of 13, worst first" in text
    assert text.index("1 batch of outcomes is set aside") < text.index(
        "Failures are judged success"
    )


def test_the_page_is_about_its_scope(pages, agent):
    agent.post(*calls("crm", 3, 0, agent_id="one"), *calls("web", 1, 1, agent_id="two"))
    body = pages.get("overview/", agent="two").content.decode()
    assert tile(body, "rate").startswith("Success rate 50.0 % of 2")
    assert re.findall(r'data-row="tool-([^"]*)"', body) == ["web"]
    assert "agent=two" in body
    assert "show=disagree" in body  # the page of disagreements is about all agents
    other = pages.get("overview/", environment="staging").content.decode()
    assert tile(other, "rate") == "Success rate \N{EN DASH} none ran"


def test_what_was_noticed_follows_the_scope(pages, agent, project):
    agent.post(an_item())
    for of, place in (("one", "production"), ("two", "production"), ("two", "staging")):
        subject = f"{of} in {place}"
        findings.found(project.pk, "odd", subject, why="So.", environment=place, agent=of)
    findings.found(project.pk, "check_flips", "of all", why="So.")
    assert "Four things need attention." in pages.text("overview/")
    of_two = pages.text("overview/", agent="two")
    assert "Three things need attention." in of_two
    assert "one in production" not in of_two
    both = pages.text("overview/", agent="two", environment="staging")
    assert "Two things need attention." in both
    assert "two in staging" in both


def test_it_says_something_new_only_when_something_is(
    pages, agent, project, django_assert_max_num_queries
):
    agent.post(an_item())
    body = pages.get("overview/", range="30d").content.decode()
    (live,) = re.findall(r'id="overview" data-live hx-get="([^"]*)"', body)
    again = html.unescape(live)
    with django_assert_max_num_queries(5):
        answer = pages.client.get(again)
    # The minute may have passed meanwhile.
    assert answer.status_code == 204 or 'id="overview"' in answer.content.decode()
    agent.post(an_item())
    fresh = pages.client.get(again).content.decode()
    assert tile(fresh, "rate").startswith("Success rate 100.0 % of 2")
    assert 'id="sentence" hx-swap-oob="true"' in fresh
    findings.found(project.pk, "silent_failures", "crm", why="They said ok: false.")
    (live,) = re.findall(r'data-live hx-get="([^"]*)"', fresh)
    assert "Failures are judged success" in pages.client.get(html.unescape(live)).content.decode()


def test_twelve_queries_whatever_there_is(pages, agent, project, django_assert_max_num_queries):
    agent.post(
        *[a_denied_item(f"s-{number % 7}") for number in range(60)],
        *[an_item(f"s-{number}", tool_name=f"t-{number}") for number in range(60)],
    )
    findings.found(project.pk, "silent_failures", "crm", why="They said ok: false.")
    pages.get("overview/")
    with django_assert_max_num_queries(12):
        pages.get("overview/", range="7d")


def test_the_address_of_a_project_leads_there_and_keeps_its_scope(project, client_as):
    answer = client_as(Role.VIEWER).get(f"/p/{project.slug}/?range=7d")
    assert answer.status_code == 302
    assert answer["Location"] == reverse("outcomes:overview", args=[project.slug]) + "?range=7d"


@pytest.mark.parametrize("name", ["live", "15m", "1h", "6h", "24h", "7d", "30d", "90d"])
def test_every_range_draws_its_steps_to_the_end(pages, agent, name):
    agent.post(an_item(), an_item())
    body = pages.get("overview/", range=name).content.decode()
    assert tile(body, "rate").startswith("Success rate 100.0 % of 2")
    assert 'class="fill-executed"' in body

"""Time range and agent in the top bar."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from outcomes.core.moments import time_text, to_the_minute


@pytest.fixture
def bar_of(project, admin_client):
    def bar(name="overview", **query):
        page = admin_client.get(reverse(f"outcomes:{name}", args=[project.slug]), query)
        return page.context["scope_bar"], page

    return bar


def times_in(url):
    query = parse_qs(urlsplit(url).query)
    return query.get("from", [""])[0], query.get("to", [""])[0]


def test_the_previous_period_ends_at_the_start_of_this_one(bar_of):
    bar, page = bar_of(range="6h", tool="shell")
    scope = page.context["scope"]
    since, until = times_in(bar["previous"])
    assert until == time_text(scope.since)
    assert since == time_text(scope.since - timedelta(hours=6))
    assert "tool=shell" in bar["previous"]
    assert "range=" not in bar["previous"]
    assert bar["next"] == ""


def test_the_next_period_returns_to_the_range_that_ends_now(bar_of):
    now = to_the_minute(timezone.now())
    older, last = now - timedelta(hours=49), now - timedelta(hours=25)
    bar, _ = bar_of(**{"from": time_text(older), "to": time_text(last)})
    assert times_in(bar["next"]) == (time_text(last), time_text(last + timedelta(hours=24)))
    bar, _ = bar_of(**{"from": time_text(last), "to": time_text(last + timedelta(hours=24))})
    assert parse_qs(urlsplit(bar["next"]).query)["range"] == ["24h"]


def test_a_permalink_has_fixed_times(bar_of):
    bar, page = bar_of(range="7d", environment="production")
    scope = page.context["scope"]
    assert times_in(bar["fixed"]) == (time_text(scope.since), time_text(scope.until))
    assert "environment=production" in bar["fixed"]
    assert "data-copy-link" in page.text


def test_all_time_has_no_previous_period(bar_of):
    bar, _ = bar_of("sessions", range="all")
    assert (bar["previous"], bar["next"], bar["fixed"]) == ("", "", "")


def test_pages_with_an_agent_filter_have_an_agent_menu(bar_of):
    _, page = bar_of(agent="billing-bot")
    assert 'id="scope-agents"' in page.text
    time_menu = page.text.split('id="scope"')[1]
    assert 'name="agent" value="billing-bot" list' not in time_menu
    _, page = bar_of("agents")
    assert 'id="scope-agents"' not in page.text


def test_invalid_ranges_and_dates_are_explained(bar_of):
    _, page = bar_of(range="bogus")
    assert "“bogus” isn't a valid range. Showing: Last 24 hours." in page.context["scope"].amiss
    _, page = bar_of(**{"from": "abc"})
    assert "“abc” isn't a valid date. Showing: Last 24 hours." in page.context["scope"].amiss

"""Needs attention: what is open in words, what is over below it, and the number beside it."""

import pytest
from django.urls import reverse

from governance.domain.roles import Role
from governance.findings import found, resolve
from governance.views.findings import OPEN_SHOWN
from tests import builders
from tests.outcomes.pages import text_of


@pytest.fixture
def page(project, client_as):
    builders.an_environment(project)
    viewer = client_as(Role.VIEWER)
    return lambda: viewer.get(reverse("governance:attention", args=[project.slug]))


def count_beside(response):
    entries = [entry for group in response.context["nav"] for entry in group]
    return next(entry["count"] for entry in entries if entry["name"] == "Needs attention")


def test_a_calm_day_says_so(page):
    assert "Nothing needs attention." in text_of(page())
    assert count_beside(page()) == 0


def test_a_finding_says_what_why_since_when_and_where_to_go(project, page):
    found(
        project.pk, "manage_key_used_by_agent", "<b>key</b>", why="It may.", link="/p/x/",
        environment="production",
    )  # fmt: skip
    response = page()
    text = text_of(response)
    assert "One thing needs attention." in text
    assert "An agent uses a manage key : <b>key</b> in production" in text
    assert "It may." in text
    assert '<a class="row-link" href="/p/x/">' in response.text
    assert "<b>key</b>" not in response.text
    assert count_beside(response) == 1


def test_a_resolved_finding_stands_below_with_its_time(project, page):
    found(project.pk, "odd_thing", "it", why="So.")
    resolve(project.pk, "odd_thing", "it")
    text = text_of(page())
    assert "Nothing needs attention." in text
    assert "Resolved 1 newest Odd thing: it" in text
    assert count_beside(page()) == 0


def test_more_than_a_page_of_findings_are_counted_all_the_same(project, page):
    for number in range(OPEN_SHOWN + 3):
        found(project.pk, "odd", f"thing {number}", why="So.")
    text = text_of(page())
    assert f"{OPEN_SHOWN + 3} things need attention." in text
    assert f"{OPEN_SHOWN} of {OPEN_SHOWN + 3}, newest first" in text


def test_findings_of_other_projects_are_not_there(project, page):
    other = builders.a_project()
    found(other.pk, "odd", "secret", why="So.")
    assert "secret" not in text_of(page())
    assert count_beside(page()) == 0

"""Needs attention: what is open in words, what is over below it, and the number beside it."""

import pytest
from django.urls import reverse

from governance.alerts.views import OPEN_SHOWN
from governance.core.roles import Role
from governance.findings import Told, found, look, resolve
from governance.models import AuditEntry, Finding
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
        project.pk, "manage_key_used_by_agent", "<b>key</b>", why="It may `x<y`.", link="/p/x/",
        environment="production",
    )  # fmt: skip
    response = page()
    text = text_of(response)
    assert "One thing needs attention." in text
    assert "An agent uses a manage key : <b>key</b> in production" in text
    assert "It may <code>x&lt;y</code>. Last noticed" in response.text
    assert '<a class="row-link" href="/p/x/">' in response.text
    assert "<b>key</b>" not in response.text
    assert count_beside(response) == 1


def test_a_resolved_finding_stands_below_with_its_time(project, page):
    found(project.pk, "odd_thing", "it", why="So.")
    resolve(project.pk, "odd_thing", "it")
    text = text_of(page())
    assert "Nothing needs attention." in text
    assert "Resolved or dismissed 1 newest Odd thing: it" in text
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


def dismissing(project):
    number = Finding.objects.get(project=project).pk
    return reverse("governance:dismiss_finding", args=[project.slug, number])


def test_an_operator_dismisses_a_finding_and_is_told_when_it_comes_back(project, page, client_as):
    found(project.pk, "odd_thing", "it", why="So.", environment="production")
    operator = client_as(Role.OPERATOR)
    assert dismissing(project) in operator.get(page().request["PATH_INFO"]).text
    text = text_of(operator.post(dismissing(project), follow=True))
    assert "It is dismissed, and stands here anew if it happens again." in text
    assert "Nothing needs attention." in text
    assert "Odd thing: it in production" in text
    assert "Dismissed by person-" in text
    assert count_beside(page()) == 0
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("finding dismissed", "odd_thing: it")
    assert entry.details == {"environment": "production", "why": "So."}


def test_a_viewer_is_offered_no_dismissal(project, page):
    found(project.pk, "odd_thing", "it", why="So.")
    assert "Dismiss<" not in page().text


def test_a_finding_of_another_project_cannot_be_dismissed(project, client_as):
    other = builders.a_project()
    found(other.pk, "odd", "secret", why="So.")
    number = Finding.objects.get().pk
    for address in (number, 2**70):
        url = reverse("governance:dismiss_finding", args=[project.slug, address])
        assert client_as(Role.OPERATOR).post(url).status_code == 404
    assert Finding.objects.get().resolved_at is None


def test_what_lasts_is_told_to_be_so_still(project, page, client_as):
    look(project.pk, ["drift"], {("drift", "bot"): Told(why="So.")})
    text = text_of(client_as(Role.OPERATOR).post(dismissing(project), follow=True))
    assert "stands here anew if it is over and begins again" in text
    assert "; it is still so" in text

"""Saved views of the list of sessions, private or shared with the project."""

import html
import re

import pytest

from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.models import SavedView
from tests import builders
from tests.outcomes.pages import Pages, text_of


@pytest.fixture
def operator(project) -> Pages:
    return pages_for(project, Role.OPERATOR)


def pages_for(project, role: Role) -> Pages:
    return Pages(builders.signed_in(builders.a_member(project, role).user), project.slug)


def save(pages: Pages, name: str, query: str = "", **fields: str) -> str:
    """Save a view and return the text of the page."""
    form = {"name": name, "query": query} | fields
    answer = pages.client.post(f"{pages.base}/saved-views/save/", form, follow=True)
    return text_of(answer)


def choices(pages: Pages) -> dict[str, str]:
    body = pages.get("live/saved-views/").content.decode()
    return {
        name: html.unescape(url)
        for url, name in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)', body)
    }


def test_a_saved_view_restores_the_list_and_is_private_to_its_owner(project, operator):
    query = "range=7d&has=waste&sort=failures&before=1.2&nonsense=1&agent=a+b"
    assert "Mondays saved." in save(operator, "Mondays", query)
    url = f"{operator.base}/sessions/?range=7d&agent=a+b&has=waste&sort=failures"
    assert choices(operator) == {"Mondays": url}
    assert operator.client.get(url).status_code == 200
    assert choices(pages_for(project, Role.ADMIN)) == {}
    entry = AuditEntry.objects.filter(project=project).latest("number")
    assert (entry.action, entry.subject) == ("view saved", "Mondays")
    assert entry.details == {"shared": False, "query": url.partition("?")[2]}


def test_a_shared_view_is_visible_to_all_members_and_editable_by_operators(project, operator):
    viewer = pages_for(project, Role.VIEWER)
    save(operator, "Stopped", "state=stopped", shared="on")
    save(viewer, "Stopped", "state=ended")  # a private view with the same name
    assert list(choices(viewer)) == ["Stopped"]  # one name, two views
    assert SavedView.objects.count() == 2
    shared = SavedView.objects.get(owner=None)
    at = f"{operator.base}/saved-views/{shared.pk}"
    assert viewer.client.post(f"{at}/remove/").status_code == 403
    assert (
        "role to share views" in viewer.client.post(f"{at}/rename/", {"name": "x"}).content.decode()
    )
    page = operator.client.post(f"{at}/rename/", {"name": "Halted"}, follow=True)
    assert "View renamed to Halted." in text_of(page)
    assert "Halted" in choices(viewer)
    assert "Remove Halted" not in viewer.text("saved-views/")
    operator.client.post(f"{at}/remove/")
    assert list(choices(operator)) == []
    actions = AuditEntry.objects.filter(project=project).values_list("action", flat=True)
    assert {"view renamed", "view removed"} <= set(actions)


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        (" ", "", "Enter a name."),
        ("x" * 81, "", "at most 80 characters"),
        ("a\0b", "", "at most 80 characters"),
        ("taken", "", "A view named taken already exists."),
        ("long", "q=" + "x" * 2_001, "at most 2,000 characters"),
    ],
)
def test_an_invalid_view_is_rejected_with_the_reason(operator, name, query, message):
    save(operator, "taken")
    assert message in save(operator, name, query)
    assert list(choices(operator)) == ["taken"]


def test_a_view_of_another_member_or_project_is_404(project, operator):
    save(operator, "mine")
    number = SavedView.objects.get().pk
    for stranger in (pages_for(project, Role.ADMIN), pages_for(builders.a_project(), Role.ADMIN)):
        answer = stranger.client.post(f"{stranger.base}/saved-views/{number}/remove/")
        assert answer.status_code == 404
    assert "1 saved view of the sessions." in operator.text("saved-views/")

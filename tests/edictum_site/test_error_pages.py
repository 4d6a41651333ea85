"""Error pages: inside the shell for signed-in users, with links to other pages."""

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from governance.core.roles import Role
from tests import builders


@pytest.fixture
def viewer(client_as):
    return client_as(Role.VIEWER)


def has_ways_on(page, project, nearest):
    assert page.context["project"] == project
    assert reverse("lookup:search", args=[project.slug]) in page.text
    assert f'href="{nearest}"' in page.text
    assert 'class="nav"' in page.text


def test_a_404_page_links_to_the_nearest_list_and_a_search(viewer, project):
    sessions = reverse("outcomes:sessions", args=[project.slug])
    page = viewer.get(f"{sessions}no-such-session/")
    assert page.status_code == 404
    has_ways_on(page, project, sessions)
    assert 'value="no-such-session"' in page.text


def test_a_404_page_outside_projects_links_to_the_last_used_project(viewer, project):
    viewer.get(reverse("governance:settings", args=[project.slug]))
    page = viewer.get("/nowhere/")
    assert page.status_code == 404
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_a_404_page_does_not_reveal_another_project(viewer, project):
    other = builders.a_project("secret-plans")
    page = viewer.get(reverse("outcomes:sessions", args=[other.slug]))
    assert page.status_code == 404
    assert page.context["project"] == project
    assert "Secret-plans" not in page.text
    assert other.name not in page.text.replace(page.request["PATH_INFO"], "")


def test_a_403_page_links_to_accessible_pages(viewer, project):
    page = viewer.get(reverse("governance:new_key", args=[project.slug]))
    assert page.status_code == 403
    has_ways_on(page, project, reverse("governance:settings", args=[project.slug]))
    assert "You need the admin role" in page.text


def test_an_invalid_link_page_links_to_other_pages(viewer, project):
    page = viewer.get(reverse("governance:join", args=["no-such-token"]))
    assert page.status_code == 410
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_an_anonymous_visitor_gets_a_plain_404_page(client):
    page = client.get("/nowhere/")
    assert page.status_code == 404
    assert "Page not found" in page.text
    assert 'class="nav"' not in page.text


def test_a_missing_page_fragment_is_404_without_the_shell(viewer, project):
    page = viewer.get(f"/p/{project.slug}/nowhere/", headers={"HX-Request": "true"})
    assert page.status_code == 404
    assert 'class="nav"' not in page.text


def failing(member, monkeypatch, view):
    monkeypatch.setattr("edictum_site.help.views.document_named", view)
    browser = Client(raise_request_exception=False)
    browser.force_login(member.user)
    return browser.get(reverse("help:doc", args=["api"]))


def test_a_server_error_page_is_inside_the_shell(project, monkeypatch):
    def fails(name):
        raise RuntimeError(name)

    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert page.status_code == 500
    assert "The server hit an error" in page.text
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_an_error_in_the_shell_has_a_page_without_it(project, monkeypatch):
    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr("edictum_site.pages.shell.navigation_of", fails)
    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert page.status_code == 500
    assert "The server hit an error" in page.text
    assert 'class="nav"' not in page.text


def test_a_page_without_a_database_is_503_with_retry_after(project, monkeypatch):
    def fails(name):
        raise OperationalError(name)

    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "The database does not answer." in page.text
    assert 'class="nav"' not in page.text

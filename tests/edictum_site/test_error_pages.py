"""Error pages: inside the shell for people who are signed in, with ways on."""

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


def test_a_missing_page_offers_the_nearest_list_and_a_search_for_its_name(viewer, project):
    sessions = reverse("outcomes:sessions", args=[project.slug])
    page = viewer.get(f"{sessions}no-such-session/")
    assert page.status_code == 404
    has_ways_on(page, project, sessions)
    assert 'value="no-such-session"' in page.text


def test_an_address_outside_of_projects_offers_the_project_used_last(viewer, project):
    viewer.get(reverse("governance:settings", args=[project.slug]))
    page = viewer.get("/nowhere/")
    assert page.status_code == 404
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_a_page_of_another_project_does_not_say_that_it_exists(viewer, project):
    other = builders.a_project("secret-plans")
    page = viewer.get(reverse("outcomes:sessions", args=[other.slug]))
    assert page.status_code == 404
    assert page.context["project"] == project
    assert "Secret-plans" not in page.text
    assert other.name not in page.text.replace(page.request["PATH_INFO"], "")


def test_a_page_for_another_role_offers_ways_on(viewer, project):
    page = viewer.get(reverse("governance:new_key", args=[project.slug]))
    assert page.status_code == 403
    has_ways_on(page, project, reverse("governance:settings", args=[project.slug]))
    assert "You need the admin role" in page.text


def test_a_used_link_offers_ways_on(viewer, project):
    page = viewer.get(reverse("governance:join", args=["no-such-token"]))
    assert page.status_code == 410
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_a_stranger_gets_the_plain_page(client):
    page = client.get("/nowhere/")
    assert page.status_code == 404
    assert "Page not found" in page.text
    assert 'class="nav"' not in page.text


def test_a_part_that_is_missing_is_answered_without_the_shell(viewer, project):
    page = viewer.get(f"/p/{project.slug}/nowhere/", headers={"HX-Request": "true"})
    assert page.status_code == 404
    assert 'class="nav"' not in page.text


def failing(member, monkeypatch, view):
    monkeypatch.setattr("edictum_site.help.views.document_named", view)
    browser = Client(raise_request_exception=False)
    browser.force_login(member.user)
    return browser.get(reverse("help:doc", args=["api"]))


def test_a_failure_is_shown_inside_the_shell(project, monkeypatch):
    def fails(name):
        raise RuntimeError(name)

    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert page.status_code == 500
    assert "The server hit an error" in page.text
    has_ways_on(page, project, reverse("outcomes:overview", args=[project.slug]))


def test_a_failure_of_the_shell_itself_is_shown_without_it(project, monkeypatch):
    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr("edictum_site.pages.shell.navigation_of", fails)
    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert page.status_code == 500
    assert "The server hit an error" in page.text
    assert 'class="nav"' not in page.text


def test_a_page_whose_database_is_away_can_be_tried_again(project, monkeypatch):
    def fails(name):
        raise OperationalError(name)

    page = failing(builders.a_member(project, Role.VIEWER), monkeypatch, fails)
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "The database does not answer." in page.text
    assert 'class="nav"' not in page.text

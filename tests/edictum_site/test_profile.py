"""Profile of one person: name, theme, time zone, default range and keyboard shortcuts."""

import html

import pytest
from django.urls import reverse

from governance.core.roles import Role
from governance.models import User
from tests import builders

CHOSEN = {"name": "Ada  Lovelace", "theme": "dark", "zone": "Asia/Tokyo", "time_range": "7d"}


@pytest.fixture
def member(project):
    return builders.a_member(project, Role.VIEWER)


@pytest.fixture
def browser(member):
    return builders.signed_in(member.user)


def test_a_saved_profile_applies_to_every_page(browser, member, project):
    page = browser.post(reverse("profile"), CHOSEN, follow=True)
    assert "Profile saved." in page.text
    assert 'data-theme="dark"' in page.text
    assert 'data-zone="Asia/Tokyo"' in page.text
    assert "Ada Lovelace · viewer" in page.text
    user = User.objects.get(pk=member.user_id)
    assert (user.name, user.time_range, user.single_keys) == ("Ada Lovelace", "7d", False)


def test_an_unknown_zone_or_range_is_not_saved(browser, member):
    page = browser.post(reverse("profile"), CHOSEN | {"zone": "Mars/Base", "time_range": "1000y"})
    assert page.status_code == 422
    assert set(page.context["form"].errors) == {"zone", "time_range"}
    assert User.objects.get(pk=member.user_id).zone == ""


def test_the_profile_form_has_the_current_choices(browser):
    browser.post(reverse("profile"), CHOSEN)
    page = html.unescape(browser.get(reverse("profile")).text)
    for value in ("Asia/Tokyo", "7d", "dark"):
        assert f'<option value="{value}" selected>' in page


def test_every_page_opens_with_the_last_chosen_range(browser, project):
    assert browser.post(reverse("remember_range"), {"range": "30d"}).status_code == 204
    for name in ("overview", "tools", "denials", "agents", "sessions", "calls", "artifacts"):
        page = browser.get(reverse(f"outcomes:{name}", args=[project.slug]))
        assert page.context["scope"].range == "30d", name


def test_a_range_can_become_the_default_without_javascript(browser, project):
    here = reverse("outcomes:tools", args=[project.slug])
    offered = f'<input type="hidden" name="back" value="{here}?range=7d">'
    assert offered in browser.get(here, {"range": "7d"}).text
    body = {"range": "7d", "back": f"{here}?range=7d"}
    assert browser.post(reverse("remember_range"), body).url == f"{here}?range=7d"
    assert offered not in browser.get(here, {"range": "7d"}).text
    assert browser.get(here).context["scope"].range == "7d"


@pytest.mark.parametrize(
    "back", ["https://example.test/", "//example.test/", "\\\\x", "javascript:x"]
)
def test_saving_a_default_range_does_not_redirect_to_another_site(browser, back):
    answer = browser.post(reverse("remember_range"), {"range": "7d", "back": back})
    assert answer.status_code == 204


def test_all_time_is_remembered_only_for_lists(browser, project):
    browser.post(reverse("remember_range"), {"range": "all"})
    ranges = {
        name: browser.get(reverse(f"outcomes:{name}", args=[project.slug])).context["scope"].range
        for name in ("sessions", "overview")
    }
    assert ranges == {"sessions": "all", "overview": "24h"}


def test_an_invalid_range_is_not_remembered(browser, project):
    browser.post(reverse("remember_range"), {"range": "bogus"})
    page = browser.get(reverse("outcomes:overview", args=[project.slug]))
    assert page.context["scope"].range == "24h"


def test_charts_use_the_profiles_time_zone(browser, project):
    browser.cookies["zone"] = "Europe/Berlin"
    overview = reverse("outcomes:overview", args=[project.slug])
    assert str(browser.get(overview).context["scope"].zone) == "Europe/Berlin"
    browser.post(reverse("profile"), CHOSEN)
    assert str(browser.get(overview).context["scope"].zone) == "Asia/Tokyo"
    assert browser.get(overview, {"range": "1h"}).context["scope"].range == "1h"

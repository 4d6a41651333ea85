"""The shell of every page."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from edictum_site.pages.shell import console_state
from governance.core.roles import Role
from outcomes.jobs.queries import Backlog
from outcomes.models import Tool
from outcomes.record.codec import digest_of
from outcomes.web.addresses import tool_url
from tests import builders
from tests.governance.deploying import live, saved


def test_the_shell_lists_your_projects_the_environments_and_the_page(project):
    member = builders.a_member(project, Role.VIEWER)
    builders.a_member(builders.a_project("other"), user=member.user)
    builders.a_project("somebody-elses")
    builders.an_environment(project, "staging")
    page = builders.signed_in(member.user).get(
        reverse("governance:settings", args=[project.slug]), {"environment": "staging"}
    )
    shown = page.context
    assert {each.slug for each in shown["projects"]} == {project.slug, "other"}
    assert (shown["environments"], shown["environment"]) == (["staging"], "staging")
    assert [entry["name"] for group in shown["nav"] for entry in group if entry["current"]] == [
        "Settings"
    ]


def test_an_unknown_environment_selects_all(project, admin_client):
    page = admin_client.get(
        reverse("governance:settings", args=[project.slug]), {"environment": "nowhere"}
    )
    assert page.context["environment"] == ""


def carried_by(page, name):
    """Scope parameters of a navigation entry's link."""
    (url,) = {
        f"{entry['url']}{page.context['carried_on']}"
        for group in page.context["nav"]
        for entry in group
        if entry["name"] == name
    }
    assert url in html.unescape(page.content.decode())
    return parse_qs(urlsplit(url).query)


def test_navigation_carries_the_scope_from_page_to_page(project, admin_client):
    chosen = {"range": "7d", "environment": "staging"}
    of_figures = admin_client.get(reverse("outcomes:disagreements", args=[project.slug]), chosen)
    assert carried_by(of_figures, "Contracts") == {"range": ["7d"], "environment": ["staging"]}
    # A page without its own scope passes it on.
    contracts = admin_client.get(reverse("governance:contracts", args=[project.slug]), chosen)
    assert carried_by(contracts, "Sessions") == {"range": ["7d"], "environment": ["staging"]}
    of_one = admin_client.get(
        reverse("governance:contracts", args=[project.slug]), chosen | {"agent": "bot"}
    )
    assert carried_by(of_one, "Sessions")["agent"] == ["bot"]
    # Outside the main navigation, `environment` can select the displayed object instead.
    keys = admin_client.get(reverse("governance:keys", args=[project.slug]), chosen)
    assert carried_by(keys, "Sessions") == {"range": ["7d"]}


@pytest.mark.parametrize("page", ["agents", "disagreements"])
def test_a_page_without_an_agent_filter_preserves_the_agent_in_its_navigation(
    project, admin_client, page
):
    here = reverse(f"outcomes:{page}", args=[project.slug])
    shown = admin_client.get(here, {"range": "7d", "agent": "bot"})
    assert carried_by(shown, "Sessions") == {"range": ["7d"], "agent": ["bot"]}
    assert carried_by(shown, "Agents") == {"range": ["7d"], "agent": ["bot"]}
    assert "agent" not in shown.context["carried"]


def hrefs(page, path):
    """Scope parameters of links to this path."""
    matches = re.findall(r'href="([^"#]*)', page.content.decode())
    items = [urlsplit(html.unescape(each)) for each in matches]
    return [parse_qs(each.query) for each in items if each.path == path]


def test_contract_pages_preserve_time_environment_and_agent(project, admin_client):
    version = live(saved(project, "first"))
    here = [project.slug, version.bundle.name]
    chosen = {"range": "7d", "environment": "production", "agent": "bot"}
    fields = {name: [value] for name, value in chosen.items()}
    by_name = {"range": ["7d"], "chosen-environment": ["production"], "chosen-agent": ["bot"]}
    text = reverse("governance:contract_version", args=[*here, 1])
    overview = reverse("governance:contract", args=here)
    sessions = reverse("outcomes:sessions", args=[project.slug])
    contracts = reverse("governance:contracts", args=[project.slug])
    page = admin_client.get(contracts, chosen)
    assert hrefs(page, overview) == [by_name]
    assert hrefs(page, text) == [by_name]
    values = {name: value for name, (value,) in by_name.items()}
    for address in (text, overview, reverse("governance:compare_contract", args=here)):
        page = admin_client.get(address, values)
        assert hrefs(page, sessions)[0] == fields, address
        assert fields in hrefs(page, contracts), address
        assert by_name in hrefs(page, overview), address
    stopped = reverse("outcomes:denials_of_rule", args=[project.slug])
    (result,) = hrefs(admin_client.get(text, values), stopped)
    assert {name: result[name] for name in fields} == fields
    assert hrefs(admin_client.get(overview, values), text) == [by_name, by_name]


def test_range_links_preserve_other_filters(project, admin_client):
    page = admin_client.get(
        reverse("outcomes:sessions", args=[project.slug]),
        {"range": "7d", "state": "stopped", "agent": "bot", "before": "1.2"},
    )
    bar = page.context["scope_bar"]
    assert [choice.words for choice in bar["choices"] if choice.current] == ["Last 7 days"]
    for choice in bar["choices"]:
        query = parse_qs(urlsplit(choice.url).query)
        assert query.pop("range")
        assert query == {"state": ["stopped"], "agent": ["bot"]}
    assert bar["parameters"] == [("range", "7d"), ("state", "stopped"), ("agent", "bot")]
    assert bar["agent_parameters"] == [("range", "7d"), ("state", "stopped")]
    assert "agent" not in bar["all_agents"]


@pytest.mark.parametrize("name", ["a?b#c", "50%41", "a\r\nb", '"><b>', "mcp://x/y/"])
def test_scope_links_work_for_any_tool_name(project, admin_client, name):
    builders.an_environment(project, "staging")
    Tool.objects.create(project=project, name=name, digest=digest_of(name))
    page = admin_client.get(tool_url(project.slug, name))
    urls = [choice.url for choice in page.context["scope_bar"]["choices"]]
    urls += map(html.unescape, re.findall(r'href="([^"]*\?environment=[^"]*)"', page.text))
    urls += map(html.unescape, re.findall(r'scope-form" action="([^"]*)"', page.text))
    assert len(urls) > 8
    for url in urls:
        assert admin_client.get(url).context["name"] == name, url


def test_scope_times_use_the_users_time_zone(project, admin_client):
    address = reverse("outcomes:sessions", args=[project.slug])
    chosen = {"from": "2026-11-02T08:00Z", "to": "2026-11-03T08:00Z"}
    assert (
        "2 Nov 08:00 \N{EN DASH} 3 Nov 08:00" in admin_client.get(address, chosen).content.decode()
    )
    admin_client.cookies["zone"] = "Europe/Berlin"
    assert (
        "2 Nov 09:00 \N{EN DASH} 3 Nov 09:00" in admin_client.get(address, chosen).content.decode()
    )
    admin_client.cookies["zone"] = "../../etc/passwd"
    assert (
        "2 Nov 08:00 \N{EN DASH} 3 Nov 08:00" in admin_client.get(address, chosen).content.decode()
    )


def test_the_shell_of_a_page_without_a_project_takes_no_queries(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Client().get(reverse("account_login")).status_code == 200


@pytest.mark.parametrize(
    ("waiting", "worker", "ok", "words"),
    [
        (Backlog(0, 0, 0.0, 0), True, True, "Up to date"),
        (Backlog(3, 900, 0.4, 0), True, True, "Up to date"),
        (Backlog(0, 0, 0.0, 0), None, True, "Up to date"),
        (Backlog(3, 900, 0.4, 0), None, True, "Up to date"),
        (Backlog(0, 0, 0.0, 0), False, False, "Worker not responding · queue empty"),
        (Backlog(1, 9, 0.4, 0), False, False, "Worker not responding · 1 batch queued"),
        (Backlog(0, 0, 0.0, 1), True, False, "1 batch failed to process"),
        (Backlog(0, 0, 0.0, 1200), True, False, "1,200 batches failed to process"),
        (Backlog(3, 9, 125.0, 0), True, False, "Processing is 2 min 5 s behind · 3 batches queued"),
    ],
)
def test_the_console_state_is_described_in_words(waiting, worker, ok, words):
    assert console_state(waiting, worker=worker) == {"ok": ok, "words": words}


def test_the_console_state_is_displayed_only_if_something_is_wrong(
    project, admin_client, monkeypatch
):
    settings = reverse("governance:settings", args=[project.slug])
    assert "nav-foot" not in admin_client.get(settings).text
    monkeypatch.setattr("edictum_site.pages.shell.why_refused_of_late", lambda: "The disk is full.")
    assert "Events are rejected · The disk is full." in admin_client.get(settings).text


def test_settings_have_their_own_navigation(project, admin_client):
    page = admin_client.get(reverse("governance:new_key", args=[project.slug]))
    assert [words for words, _, current in page.context["settings_nav"] if current] == ["Keys"]
    page = admin_client.get(reverse("governance:settings", args=[project.slug]))
    assert [words for words, _, current in page.context["settings_nav"] if current] == ["General"]
    for _, url, _ in page.context["settings_nav"]:
        assert admin_client.get(url).status_code == 200
    page = admin_client.get(reverse("outcomes:overview", args=[project.slug]))
    assert page.context["settings_nav"] == []


def test_a_worker_before_its_first_heartbeat_is_starting():
    none, some = Backlog(0, 0, 0.0, 0), Backlog(3, 900, 125.0, 0)
    quiet = console_state(none, worker=False, is_starting=True)
    assert quiet == {"ok": True, "words": "Worker starting · queue empty"}
    behind = console_state(some, worker=False, is_starting=True)
    assert behind == {"ok": True, "words": "Worker starting · 3 batches queued"}
    up = console_state(none, worker=True, is_starting=True)
    assert up["words"] == "Up to date"

"""Search in a project: by id, prefix, substring, name and page."""

import pytest
from django.db import connection
from django.urls import reverse

from edictum_site.lookup.places import PLACES, places_like
from governance.checks.queries.lookup import documents_like
from governance.core.roles import Role
from governance.models import Check, Project
from outcomes.lookup import queries as lookup
from outcomes.models import Agent, Artifact, Session, Tool
from outcomes.record.codec import digest_of
from tests import builders
from tests.governance.deploying import saved
from tests.items import an_outcome
from tests.outcomes.posting import Agent as Posting
from tests.outcomes.waiting_jobs import run_waiting_indexes

ADDRESSES = ("lookup:search", "lookup:options")


@pytest.fixture
def posted(project: Project) -> Project:
    agent = Posting(builders.bearing(builders.a_key(project, "ingest")[0]))
    for session, call in (("s-Alpha", "call-1"), ("s-beta", "call-2"), ("s-beta", "other-3")):
        item = {"type": "execution_result", "call_id": call, "session_id": session}
        item |= {"tool_name": "Refund_order", "agent_id": "billing-bot", "output": "x" * 13_000}
        agent.post(item)
    return project


def results(client, project, text, page="lookup:search", **more):
    answer = client.get(reverse(page, args=[project.slug]), {"q": text} | more)
    assert answer.status_code == 200
    return {
        group.title: ["".join(item.words) for item in group.items]
        for group in answer.context["groups"]
    }


@pytest.mark.parametrize("page", ADDRESSES)
def test_names_and_ids_match_by_substring(posted, admin_client, page):
    saved(posted, "rules")
    Check.objects.create(project=posted, name="billing-check")
    assert results(admin_client, posted, "BILL", page) == {
        "Agents": ["billing-bot"],
        "Success checks": ["billing-check"],
    }
    assert results(admin_client, posted, "order", page) == {"Tools": ["Refund_order"]}
    assert results(admin_client, posted, "s-alp", page) == {"Sessions": ["s-Alpha"]}
    assert results(admin_client, posted, "call-2", page) == {"Calls": ["call-2"]}
    sha256 = Artifact.objects.get(project=posted).sha256
    assert results(admin_client, posted, f"sha256:{sha256[:9]}", page) == {"Artifacts": [sha256]}
    assert results(admin_client, posted, "nothing-is-so", page) == {}


def test_older_items_match_by_exact_id_and_older_sessions_by_prefix(posted, monkeypatch):
    monkeypatch.setattr(lookup, "NEWEST", 1)
    assert [row.session_id for row in lookup.sessions_like(posted.pk, "s-Alp")] == ["s-Alpha"]
    assert lookup.sessions_like(posted.pk, "lph") == []
    assert [row.call_id for row in lookup.calls_like(posted.pk, "call-1")] == ["call-1"]
    assert lookup.calls_like(posted.pk, "call-") == []


def test_an_artifact_stored_by_its_agent_matches_by_name(posted, admin_client):
    agent = Posting(builders.bearing(builders.a_key(posted, "ingest")[0]))
    fields = {"type": "artifact_reference", "artifact_id": "report/2026.pdf", "summary": "A report"}
    agent.post(fields | {"call_id": "call-9", "session_id": "s-beta", "tool_name": "write"})
    assert results(admin_client, posted, "2026.PDF") == {"Artifacts": ["report/2026.pdf"]}


def test_search_does_not_return_items_of_another_project(posted):
    other = builders.a_project("other")
    for text in ("s-Alpha", "call-1", "Refund_order", "billing-bot"):
        assert lookup.sessions_like(other.pk, text) == []
        assert lookup.calls_like(other.pk, text) == []
        assert lookup.names_like(other.pk, text) == ([], [])
    sha256 = Artifact.objects.get(project=posted).sha256
    assert lookup.artifacts_like(other.pk, sha256) == []


def test_disabling_single_key_shortcuts_applies_to_every_browser(project):
    member = builders.a_member(project, Role.VIEWER)
    address = reverse("lookup:keyboard", args=[project.slug])
    mark = "data-without-single-keys"
    assert mark not in builders.signed_in(member.user).get(address).text
    assert builders.signed_in(member.user).post(address)["Location"] == address
    assert mark in builders.signed_in(member.user).get(address).text
    by_script = {"HX-Request": "true"}
    again = builders.signed_in(member.user).post(address, {"single": "on"}, headers=by_script)
    assert again.status_code == 204
    assert mark not in builders.signed_in(member.user).get(address).text


@pytest.mark.parametrize("text", ["%", "_", "\0", "'", "\\", "x" * 3_000, "\U0010ffff", "ß"])
def test_any_text_is_a_valid_query(posted, admin_client, text):
    assert "Tools" not in results(admin_client, posted, text) or text == "_"


def test_prefix_matches_are_listed_first(project):
    for name in ("a-search", "search", "research-all"):
        Tool.objects.create(project=project, name=name, digest=digest_of(name))
    results = lookup.names_like(project.pk, "search")
    assert results.tools == ["search", "a-search", "research-all"]


def test_built_in_checks_match_unless_the_project_overrides_them(project):
    assert documents_like(project, "HTTP").shipped == ["http", "http-content"]
    Check.objects.create(project=project, name="http")
    results = documents_like(project, "http")
    assert ([name for name, _ in results.checks], results.shipped) == (["http"], ["http-content"])


def test_pages_match_by_title_and_are_listed_only_for_permitted_roles():
    assert [place.words for place in places_like("create k", Role.ADMIN)] == ["Create key"]
    assert places_like("create k", Role.VIEWER) == []
    assert [place.words for place in places_like("shortc", Role.VIEWER)] == ["Keyboard shortcuts"]
    assert places_like("", Role.ADMIN) == list(PLACES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Search this project"),
        ("nothing-is-so", "No matches for “nothing-is-so”"),
        ("alpha", "1 result for “alpha”"),
        ("s-", "2 results for “s-”"),
        ("tool-", "Results for “tool-”: top 6 of each type"),
    ],
)
def test_the_search_page_reports_the_number_of_matches(posted, admin_client, text, words):
    for number in range(7):
        name = f"tool-{number}"
        Tool.objects.create(project=posted, name=name, digest=digest_of(name))
    page = admin_client.get(reverse("lookup:search", args=[posted.slug]), {"q": text})
    assert page.context["sentence"] == words


def test_every_suggested_page_exists(project, admin_client):
    shown = admin_client.get(reverse("lookup:search", args=[project.slug]))
    (pages,) = (group for group in shown.context["groups"] if group.title == "Pages")
    assert len(pages.items) > len(PLACES)
    for item in pages.items:
        assert admin_client.get(item.url).status_code == 200, item.url


def test_result_links_preserve_the_scope_of_the_page(posted, admin_client):
    address = reverse("lookup:options", args=[posted.slug])
    fields = {"q": "refund", "range": "7d", "environment": "production"}
    (group,) = admin_client.get(address, fields).context["groups"]
    assert "range=7d&environment=production" in group.items[0].url


def test_prefixes_of_session_ids_use_the_index(project):
    environment = builders.an_environment(project)
    agent = Agent.objects.create(project=project, name="a", digest=digest_of("a"))
    Session.objects.bulk_create(
        Session(
            project=project,
            environment=environment,
            agent=agent,
            session_id=f"s-{number:04}",
            digest=digest_of(f"s-{number:04}"),
        )
        for number in range(2_000)
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE outcomes_session")
    begin = lookup._beginning_with(Session.objects.filter(project=project), "s-012")
    assert begin.count() == 10
    assert "session_by_beginning" in begin.explain()


def test_calls_match_by_their_content(project, admin_client):
    agent = Posting(builders.bearing(builders.a_key(project, "ingest")[0]))
    agent.post(an_outcome("c-1", tool_args={"account": "A-2091"}, output="upstream timeout"))
    run_waiting_indexes()
    expected = {"In arguments and outputs": ['"upstream timeout"', "All matching calls"]}
    assert results(admin_client, project, "timeout") == expected
    assert results(admin_client, project, "args.account:a-2091 -timeout") == {}
    assert results(admin_client, project, "output.status:>=abc") == {}

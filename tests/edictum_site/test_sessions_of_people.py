"""Browser sessions: listed for their person and for admins, and ended individually or together."""

import re

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry, Member, Project
from governance.people.commands import sessions
from governance.people.commands.people import invite
from governance.people.words import browser_words
from tests import builders
from tests.builders import PASSWORD

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PAGE = "/account/sessions/"


@pytest.fixture(autouse=True)
def _nothing_noted(db: None) -> None:
    cache.clear()
    sessions._noted.clear()


@pytest.fixture
def member(project: Project) -> Member:
    return builders.a_member(project, user=builders.a_user(password=PASSWORD))


def browser_of(member: Member, address: str = "127.0.0.1") -> Client:
    client = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR=address)
    answer = client.post("/account/sign-in/", {"login": member.user.email, "password": PASSWORD})
    assert answer.headers["Location"] == "/"
    return client


def is_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def listed(client: Client, path: str = PAGE) -> list[str]:
    return re.findall(r'name="session" value="(\d+)"', client.get(path).text)


def test_a_person_can_list_their_sessions(member):
    here = browser_of(member)
    browser_of(member, "127.0.2.7")
    page = here.get(PAGE).text
    assert "You are signed in 2 times" in page
    assert "Firefox on Linux" in page
    assert "127.0.2.7" in page
    assert len(listed(here)) == 1  # excluding this one


def test_a_person_can_end_one_session_or_all_others(member):
    here, there, third = browser_of(member), browser_of(member), browser_of(member)
    here.post(PAGE, {"session": listed(here)[1]})
    assert [is_in(each) for each in (here, there, third)].count(True) == 2
    here.post(PAGE)
    assert [is_in(each) for each in (here, there, third)] == [True, False, False]
    actions = AuditEntry.objects.order_by("number").values_list("action", flat=True)
    assert list(actions)[3:] == ["sessions ended", "sessions ended"]


def test_a_person_cannot_end_another_persons_session(project, member):
    mine = browser_of(member)
    theirs = builders.a_member(project, user=builders.a_user(password=PASSWORD))
    other = browser_of(theirs)
    browser_of(theirs)
    mine.post(PAGE, {"session": listed(other)[0]})
    assert len(listed(other)) == 1
    assert is_in(other)


def test_an_ended_session_is_not_listed(member):
    here, there = browser_of(member), browser_of(member)
    there.post("/account/sign-out/")
    assert "You are signed in 1 time" in here.get(PAGE).text


def test_the_last_use_and_address_of_a_session_are_recorded(member):
    here, there = browser_of(member), browser_of(member)
    sessions._noted.clear()
    there.get(PAGE, REMOTE_ADDR="127.0.2.8")
    assert "127.0.2.8" in here.get(PAGE).text


def test_the_session_of_a_person_who_joins_is_listed(project):
    token = invite(project, email="new@example.test", role=Role.VIEWER, by=CONSOLE)
    client = Client()
    client.post(f"/join/{token}/", {"password": PASSWORD})
    assert "You are signed in 1 time" in client.get(PAGE).text


def test_an_admin_can_end_the_sessions_of_a_member(project, member):
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    there, third = browser_of(member), browser_of(member)
    path = reverse("governance:member_sessions", args=[project.slug, member.pk])
    admin.post(path, {"session": listed(admin, path)[0]})
    assert [is_in(there), is_in(third)].count(True) == 1
    admin.post(path)
    assert not is_in(there)
    assert not is_in(third)
    assert "is not signed in" in admin.get(path).text


def test_an_admin_of_only_one_of_their_projects_cannot_see_their_sessions(project, member):
    builders.a_member(builders.a_project(), user=member.user)
    admin = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    there = browser_of(member, "127.0.2.9")
    path = reverse("governance:member_sessions", args=[project.slug, member.pk])
    page = admin.get(path)
    assert page.status_code == 409
    assert "127.0.2.9" not in page.text
    assert admin.post(path).status_code == 409
    assert is_in(there)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("curl/8.9", "curl/8.9"),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_named_by_their_user_agent(agent, words):
    assert browser_words(agent) == words

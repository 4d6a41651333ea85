"""What every page shows around its content."""

import pytest
from django.test import Client
from django.urls import reverse

from edictum_site.shell import console_state
from governance.domain.roles import Role
from outcomes.queries import Backlog
from tests import builders


def test_the_shell_names_ones_own_projects_the_environments_and_the_page(project):
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


def test_an_environment_that_is_none_means_all(project, admin_client):
    page = admin_client.get(
        reverse("governance:settings", args=[project.slug]), {"environment": "nowhere"}
    )
    assert page.context["environment"] == ""


def test_the_shell_of_a_page_without_a_project_asks_nothing(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Client().get(reverse("account_login")).status_code == 200


@pytest.mark.parametrize(
    ("waiting", "worker", "ok", "words"),
    [
        (Backlog(0, 0, 0.0, 0), True, True, "Worker up · everything is settled"),
        (Backlog(3, 900, 0.4, 0), True, True, "Worker up · settled 400 ms behind"),
        (Backlog(0, 0, 0.0, 0), None, True, "Everything is settled"),
        (Backlog(3, 900, 0.4, 0), None, True, "Settled 400 ms behind"),
        (Backlog(0, 0, 0.0, 0), False, False, "Worker silent · nothing waits"),
        (Backlog(1, 9, 0.4, 0), False, False, "Worker silent · 1 batch waits"),
        (Backlog(0, 0, 0.0, 1), True, False, "1 batch could not be settled"),
        (Backlog(0, 0, 0.0, 1200), True, False, "1,200 batches could not be settled"),
        (Backlog(3, 9, 125.0, 0), True, False, "Settling is 2 min 5 s behind · 3 batches wait"),
    ],
)
def test_the_console_says_how_it_is_in_words(waiting, worker, ok, words):
    assert console_state(waiting, worker=worker) == {"ok": ok, "words": words}


def test_a_worker_whose_first_sign_is_not_due_yet_is_starting():
    none, some = Backlog(0, 0, 0.0, 0), Backlog(3, 900, 125.0, 0)
    quiet = console_state(none, worker=False, is_starting=True)
    assert quiet == {"ok": True, "words": "Worker starting · nothing waits"}
    behind = console_state(some, worker=False, is_starting=True)
    assert behind == {"ok": True, "words": "Worker starting · 3 batches wait"}
    up = console_state(none, worker=True, is_starting=True)
    assert up["words"] == "Worker up · everything is settled"

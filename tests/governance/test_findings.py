"""Needs attention: opened once, refreshed while it lasts, closed when it is over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance import queries
from governance.findings import found, resolve
from governance.models import Finding
from tests import builders
from tests.governance.threads import in_threads


def notice(project, why="It is so.", **fields):
    found(project.pk, "odd_key", "the key", why=why, **fields)


def test_what_is_noticed_twice_is_one_finding_with_the_latest_words(project):
    notice(project)
    notice(project, "It is worse.", link="/p/x/", environment="staging")
    (finding,) = queries.open_findings(project)
    assert (finding.why, finding.link, finding.environment) == (
        "It is worse.",
        "/p/x/",
        "staging",
    )
    assert finding.since < finding.last_at


def test_what_is_noticed_all_the_time_is_not_written_all_the_time(
    project, django_assert_num_queries
):
    notice(project)
    with django_assert_num_queries(1):
        notice(project)
    Finding.objects.update(last_at=timezone.now() - timedelta(minutes=2))
    notice(project)
    assert Finding.objects.get().last_at > timezone.now() - timedelta(minutes=1)


def test_a_resolved_finding_that_comes_back_is_another_one(project):
    notice(project)
    assert resolve(project.pk, "odd_key", "the key")
    assert not resolve(project.pk, "odd_key", "the key")
    assert queries.open_findings(project) == []
    notice(project)
    assert queries.number_of_open_findings(project) == 1
    assert len(queries.resolved_findings(project)) == 1


def test_kinds_subjects_and_projects_are_apart(project):
    notice(project)
    found(project.pk, "odd_key", "another", why="w")
    found(project.pk, "drift", "the key", why="w")
    elsewhere = builders.a_project()
    notice(elsewhere)
    assert queries.number_of_open_findings(project) == 3
    resolve(elsewhere.pk, "odd_key", "the key")
    assert queries.number_of_open_findings(project) == 3


def test_names_that_agents_chose_do_no_harm(project):
    for _ in range(2):
        found(project.pk, "odd_key", "\0" + "x" * 1_000 + "\ud800", why="\0\ud800")
    assert queries.number_of_open_findings(project) == 1
    assert resolve(project.pk, "odd_key", "\0" + "x" * 1_000 + "\ud800")


@pytest.mark.django_db(transaction=True)
def test_many_who_notice_at_once_open_one():
    project = builders.a_project()
    in_threads(6, lambda _: notice(project))
    assert Finding.objects.count() == 1

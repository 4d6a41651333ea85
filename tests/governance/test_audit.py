"""The audit log: a chain that tells where it was tampered with."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.audit import record, verify
from governance.domain.actor import CONSOLE, person
from governance.models import AuditEntry, Project
from tests import builders

ANNA = person(1, "someone@example.test")


def five_entries(project: Project) -> None:
    for number in range(5):
        record(ANNA, "deployed", f"billing v{number}", project=project, details={"n": number})


def test_entries_are_numbered_from_one_and_follow_each_other(project):
    five_entries(project)
    entries = list(AuditEntry.objects.order_by("number"))
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[3].previous_hash == entries[2].hash
    assert verify(project) is None


def test_each_project_has_a_chain_of_its_own(project):
    five_entries(project)
    other = builders.a_project()
    assert record(CONSOLE, "set up", other.slug, project=other).number == 1
    assert verify(other) is None


def test_an_empty_log_is_whole(project):
    assert verify(project) is None


def test_a_name_that_no_database_keeps_does_not_stop_the_record(project):
    record(ANNA, "deployed", "a\0b" + "x" * 600, project=project)
    assert verify(project) is None


@pytest.mark.django_db
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    number=st.integers(1, 5),
    change=st.sampled_from(
        [
            {"actor": "console"},
            {"action": "rolled back"},
            {"subject": "another"},
            {"details": {"n": 99}},
            {"previous_hash": "f" * 64},
            {"hash": "e" * 64},
            {"number": 77},
        ]
    ),
)
def test_a_changed_entry_is_found_at_its_number(number, change):
    project = builders.a_project()
    five_entries(project)
    AuditEntry.objects.filter(project=project, number=number).update(**change)
    assert verify(project) == number


@pytest.mark.django_db
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(1, 4))
def test_a_removed_entry_is_found_at_its_number(number):
    project = builders.a_project()
    five_entries(project)
    AuditEntry.objects.filter(project=project, number=number).delete()
    assert verify(project) == number


@pytest.mark.django_db
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(1, 4))
def test_two_entries_that_changed_places_are_found(number):
    project = builders.a_project()
    five_entries(project)
    chain = AuditEntry.objects.filter(project=project)
    chain.filter(number=number).update(number=99)
    chain.filter(number=number + 1).update(number=number)
    chain.filter(number=99).update(number=number + 1)
    assert verify(project) == number

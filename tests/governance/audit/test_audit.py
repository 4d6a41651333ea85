"""The audit log: a hash chain that shows which entry was tampered with."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from governance.audit.queries import audit_entries_about
from governance.audit_log import record, verify
from governance.cases.commands import replace_cases
from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.commands.drafts import keep_check_draft
from governance.checks.domain import Binding
from governance.contracts.commands.drafts import keep_draft
from governance.core.actor import CONSOLE, person
from governance.core.roles import Role
from governance.delivery.commands.assignments import assign
from governance.deployments.commands.deployments import roll_back
from governance.deployments.commands.requests import withdraw_request
from governance.models import AuditEntry, Bundle, Check, Project
from outcomes.reclassification.commands.jobs import start_check_backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests import builders
from tests.audit_triggers import dropped_triggers
from tests.examples import with_a_database
from tests.governance.deploying import (
    a_failing_test,
    a_request,
    live,
    now_live,
    saved,
    somebody,
)
from tests.outcomes.rejudging import CHECK

ANNA = person(1, "someone@example.test")


def five_entries(project: Project) -> None:
    for number in range(5):
        record(ANNA, "deployed", f"billing v{number}", project=project, details={"n": number})


def broken_at(project: Project) -> int:
    broken = verify(project)
    assert broken is not None
    return broken.number


def test_entries_are_numbered_from_one_and_chained(project):
    five_entries(project)
    entries = list(AuditEntry.objects.order_by("number"))
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[3].previous_hash == entries[2].hash
    assert verify(project) is None


def test_each_project_has_its_own_chain(project):
    five_entries(project)
    other = builders.a_project()
    assert record(CONSOLE, "set up", other.slug, project=other).number == 1
    assert verify(other) is None


def test_an_empty_log_is_intact(project):
    assert verify(project) is None


def test_a_subject_with_invalid_characters_is_still_recorded(project):
    record(ANNA, "deployed", "a\0b" + "x" * 600, project=project)
    assert verify(project) is None


@pytest.mark.django_db
@with_a_database(25)
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
def test_a_changed_entry_is_detected_by_number(number, change):
    project = builders.a_project()
    five_entries(project)
    with dropped_triggers():
        AuditEntry.objects.filter(project=project, number=number).update(**change)
    assert broken_at(project) == number


@pytest.mark.django_db
@with_a_database(10)
@given(number=st.integers(1, 4))
def test_a_removed_entry_is_detected_by_number(number):
    project = builders.a_project()
    five_entries(project)
    with dropped_triggers():
        AuditEntry.objects.filter(project=project, number=number).delete()
    assert broken_at(project) == number


@pytest.mark.django_db
@with_a_database(10)
@given(number=st.integers(1, 4))
def test_two_swapped_entries_are_detected(number):
    project = builders.a_project()
    five_entries(project)
    chain = AuditEntry.objects.filter(project=project)
    with dropped_triggers():
        chain.filter(number=number).update(number=99)
        chain.filter(number=number + 1).update(number=number)
        chain.filter(number=99).update(number=number + 1)
    assert broken_at(project) == number


def test_a_contracts_audit_page_lists_only_its_own_entries(project, client_as):
    for name in ("billing", "billing-v2", "bill"):
        version = saved(project, name=name)
        live(version)
        a_failing_test(version)
    viewer = client_as(Role.VIEWER)
    page = viewer.get(reverse("governance:contract_audit", args=[project.slug, "billing"]))
    entries = audit_entries_about(Bundle.objects.get(name="billing"))
    assert [(each.action, each.subject) for each in entries] == [
        ("test added", "billing: let through"),
        ("contract deployed", "billing v1"),
        ("contract saved", "billing v1"),
    ]
    assert "<code>billing</code>: test added by console" in page.text
    assert "billing-v2" not in page.text
    record(ANNA, "draft started", "draft of the check billing", project=project)
    record(ANNA, "check saved", "billing v1", project=project)
    assert audit_entries_about(Bundle.objects.get(name="billing")) == entries
    assert (
        viewer.get(reverse("governance:contract_audit", args=[project.slug, "nothing"])).status_code
        == 404
    )


def test_a_checks_audit_page_lists_only_its_own_entries(project, client_as):
    me = builders.a_member(project, Role.EDITOR)
    editor = person(me.user_id, "e", Role.EDITOR)
    for name in ("unified", "other-unified", "unified-2"):
        save_check(project, document=CHECK.replace("unified", name), by=CONSOLE)
        bind(project, [Binding("*", "*", "crm_*", name)], by=CONSOLE)
        check = Check.objects.get(name=name)
        keep_check_draft(check, text="x", base=1, seen="", by=editor)
        start_check_backtest(
            project.pk, by=editor, text=CHECK.replace("unified", name), criteria=CallCriteria()
        )
    record(ANNA, "contract saved", "unified v1", project=project)
    at = reverse("governance:check_audit", args=[project.slug, "unified"])
    calls = [
        (line.entry.action, line.entry.subject)
        for line in client_as(Role.VIEWER).get(at).context["lines"]
    ]
    assert [action for action, _ in calls] == [
        "bindings changed",  # bound to the next check
        "check backtest started",
        "draft started",
        "bindings changed",
        "check saved",
    ]
    assert calls[2:] == [
        ("draft started", "draft of the check unified"),
        ("bindings changed", project.name),
        ("check saved", "unified v1"),
    ]
    assert client_as(Role.VIEWER).get(at.replace("unified", "http")).status_code == 404


def test_every_entry_about_a_contract_matches(project):
    version = live(saved(project, "first"))
    second = live(saved(project, "second"))
    roll_back(now_live(second), by=somebody())
    withdraw_request(a_request(second), by=somebody())
    assign(project, env="production", bundle_name="d", agent="bot", by=CONSOLE)
    replace_cases(version.bundle, [], by=CONSOLE)
    me = builders.a_member(project, Role.EDITOR)
    keep_draft(version.bundle, text="x", base=1, seen="", by=person(me.user_id, "e", Role.EDITOR))
    about = {each.number for each in audit_entries_about(version.bundle)}
    row = AuditEntry.objects.filter(project=project)
    names = {each.action for each in row if each.number not in about}
    assert names == {"deployment requirements set"}


def test_a_contracts_audit_pages_link_to_older_and_newer_entries(project, client_as):
    version = saved(project)
    for number in range(120):
        record(ANNA, "contract deployed", f"d v{number}", project=project)
        record(ANNA, "contract deployed", f"e v{number}", project=project)
    at = reverse("governance:contract_audit", args=[project.slug, version.bundle.name])
    viewer = client_as(Role.VIEWER)
    first = viewer.get(at).context
    second = viewer.get(at + first["older"]).context
    third = viewer.get(at + second["older"]).context
    assert (first["newer"], second["newer"]) == ("", ".")
    assert [len(each["lines"]) for each in (first, second, third)] == [50, 50, 21]
    back = viewer.get(at + third["newer"]).context
    assert back["lines"] == second["lines"]
    assert third["older"] == ""

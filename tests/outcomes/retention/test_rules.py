"""Retention rules: defaults, inheritance, rejected values and the audit log."""

import pytest

from governance.audit_log import verify
from governance.core.actor import CONSOLE, Actor, ActorKind
from governance.core.errors import Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.retention.commands.rules import reset_rule, set_rule
from outcomes.retention.commands.runs import start_run
from outcomes.retention.domain import Kind
from outcomes.retention.queries.rules import days_of, rules_of
from tests import builders

EDITOR = Actor(ActorKind.PERSON, 1, "e@example.test", Role.EDITOR)


def set_(project, kind, days, env=""):
    return set_rule(project, kind=kind, days=days, env=env, by=CONSOLE)


def test_the_default_rules_suit_a_small_installation(project):
    assert days_of(project.pk) == {
        Kind.PAYLOADS: 90,
        Kind.ARTIFACTS: 90,
        Kind.CALLS: 400,
        Kind.ROLLUPS: None,
        Kind.APPROVALS: 90,
        Kind.REJECTED: 30,
        Kind.AUDIT: None,
    }


def test_an_environment_inherits_the_project_rule_until_it_has_its_own(project):
    staging = builders.an_environment(project, "staging")
    set_(project, Kind.PAYLOADS, 60)
    assert days_of(project.pk, staging.pk)[Kind.PAYLOADS] == 60
    set_(project, Kind.PAYLOADS, 7, env="staging")
    assert days_of(project.pk, staging.pk)[Kind.PAYLOADS] == 7
    assert days_of(project.pk)[Kind.PAYLOADS] == 60
    reset_rule(project, kind=Kind.PAYLOADS, env="staging", by=CONSOLE)
    rule = rules_of(project.pk, staging.pk)[Kind.PAYLOADS]
    assert (rule.days, rule.is_own, rule.is_default) == (60, False, False)


def test_approvals_follow_the_setting_until_a_rule_is_set(project, settings):
    settings.KEEP_APPROVALS = 0
    assert days_of(project.pk)[Kind.APPROVALS] is None
    settings.KEEP_APPROVALS = 5
    assert days_of(project.pk)[Kind.APPROVALS] == 5
    set_(project, Kind.APPROVALS, 9)
    assert days_of(project.pk)[Kind.APPROVALS] == 9


@pytest.mark.parametrize(
    ("kind", "days"),
    [(Kind.CALLS, 6), (Kind.PAYLOADS, 0), (Kind.PAYLOADS, 401), (Kind.ROLLUPS, 399),
     (Kind.AUDIT, 29), (Kind.CALLS, 40_000)],
)  # fmt: skip
def test_conflicting_rules_are_rejected_and_change_nothing(project, kind, days):
    before = days_of(project.pk)
    with pytest.raises(InvalidInput):
        set_(project, kind, days)
    assert days_of(project.pk) == before


def test_a_project_rule_must_be_valid_for_each_environment(project):
    builders.an_environment(project, "staging")
    set_(project, Kind.PAYLOADS, 200, env="staging")
    with pytest.raises(InvalidInput):
        set_(project, Kind.CALLS, 150)


def test_artifacts_and_the_audit_log_have_no_environment_rules(project):
    builders.an_environment(project, "staging")
    with pytest.raises(InvalidInput):
        set_(project, Kind.ARTIFACTS, 7, env="staging")
    with pytest.raises(NotFound):
        set_(project, Kind.CALLS, 70, env="unknown")


def test_every_rule_change_is_in_the_audit_log(project):
    set_(project, Kind.CALLS, 100)
    set_(project, Kind.CALLS, 100)
    set_(project, Kind.CALLS, None)
    entries = AuditEntry.objects.filter(action="retention rule set").order_by("number")
    assert [(entry.subject, entry.details["days"]) for entry in entries] == [
        ("calls", "100 days"),
        ("calls", "forever"),
    ]
    assert verify(project) is None


def test_only_an_admin_can_change_rules_and_start_runs(project):
    with pytest.raises(Forbidden):
        set_rule(project, kind=Kind.CALLS, days=50, env="", by=EDITOR)
    with pytest.raises(Forbidden):
        start_run(project, by=EDITOR)

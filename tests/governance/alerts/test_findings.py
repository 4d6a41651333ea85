"""Alerts: opened once, updated while they recur, resolved when they end."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from governance import findings
from governance.alerts.commands import dismiss, end_findings, reopen, snooze
from governance.alerts.domain import snooze_end
from governance.alerts.queries import open_alerts, resolved_alerts, snoozed_alerts
from governance.audit_log import verify
from governance.core.actor import person
from governance.core.errors import Forbidden
from governance.core.roles import Role
from governance.findings import Details, open_finding, resolve, resolve_beginning, sync_findings
from governance.models import ApiKey, AuditEntry, Finding
from governance.people.commands.key_findings import note_manage_key
from governance.people.queries.navigation import navigation
from tests import builders
from tests.governance.threads import in_threads

OPERATOR = person(0, "operator@example.test", Role.OPERATOR)


def notice(project, why="It is so.", **fields):
    open_finding(project.pk, "odd_key", "the key", why=why, **fields)


def test_a_repeated_alert_updates_the_open_one(project):
    notice(project)
    notice(project, "It is worse.", link="/p/x/", environment="staging")
    (finding,) = open_alerts(project)
    assert (finding.why, finding.link, finding.environment) == (
        "It is worse.",
        "/p/x/",
        "staging",
    )
    assert finding.since < finding.last_at


def test_a_frequent_alert_is_not_rewritten_each_time(project, django_assert_num_queries):
    notice(project)
    with django_assert_num_queries(1):
        notice(project)
    Finding.objects.update(last_at=timezone.now() - timedelta(minutes=2))
    notice(project)
    assert Finding.objects.get().last_at > timezone.now() - timedelta(minutes=1)


def test_a_resolved_alert_that_recurs_opens_a_new_one(project):
    notice(project)
    assert resolve(project.pk, "odd_key", "the key")
    assert not resolve(project.pk, "odd_key", "the key")
    assert open_alerts(project) == []
    notice(project)
    assert len(open_alerts(project)) == 1
    assert len(resolved_alerts(project)) == 1


def test_alerts_are_separate_per_kind_subject_and_project(project):
    notice(project)
    open_finding(project.pk, "odd_key", "another", why="w")
    open_finding(project.pk, "drift", "the key", why="w")
    elsewhere = builders.a_project()
    notice(elsewhere)
    assert len(open_alerts(project)) == 3
    resolve(elsewhere.pk, "odd_key", "the key")
    assert len(open_alerts(project)) == 3


def test_hostile_agent_names_are_stored_safely(project):
    for _ in range(2):
        open_finding(project.pk, "odd_key", "\0" + "x" * 1_000 + "\ud800", why="\0\ud800")
    assert len(open_alerts(project)) == 1
    assert resolve(project.pk, "odd_key", "\0" + "x" * 1_000 + "\ud800")


@pytest.mark.django_db(transaction=True)
def test_concurrent_reports_open_one_alert():
    project = builders.a_project()
    in_threads(6, lambda _: notice(project))
    assert Finding.objects.count() == 1


def test_resolving_by_subject_prefix_is_case_sensitive(project):
    for subject in ("s-1: a", "s-1: b", "S-1: a", "s-2: a"):
        open_finding(project.pk, "odd", subject, why="w")
    assert resolve_beginning(project.pk, "odd", "s-1: ")
    assert {each.subject for each in open_alerts(project)} == {"S-1: a", "s-2: a"}


def test_open_alerts_are_capped_per_kind(project, monkeypatch):
    monkeypatch.setattr(findings, "MOST_OPEN", 2)
    for number in range(4):
        open_finding(project.pk, "odd", f"thing {number}", why="w")
    open_finding(project.pk, "another", "thing", why="w")
    assert len(open_alerts(project)) == 3


def drift(project, *subjects, still=()):
    fields = {("drift", each): Details(why=f"It is {each}.") for each in subjects}
    sync_findings(project.pk, ["drift"], fields, still=[("drift", each) for each in still])
    return {each.subject for each in open_alerts(project)}


def test_an_evaluation_opens_new_alerts_and_resolves_old_ones(project):
    notice(project)
    assert drift(project, "a", "b") == {"a", "b", "the key"}
    assert drift(project, "b", "c") == {"b", "c", "the key"}
    assert [each.subject for each in resolved_alerts(project)] == ["a"]


def test_an_evaluation_leaves_undecidable_alerts_unchanged(project):
    drift(project, "a")
    assert drift(project, still=("a", "b")) == {"a"}
    assert drift(project) == set()


def test_an_evaluation_without_a_change_writes_nothing(project, django_assert_num_queries):
    drift(project, "a", "b")
    with django_assert_num_queries(1):
        sync_findings(
            project.pk, ["drift"], {("drift", each): Details(why=f"It is {each}.") for each in "ab"}
        )


def test_the_query_count_of_an_evaluation_does_not_grow_with_its_alerts(
    project, django_assert_max_num_queries
):
    names = [f"agent {number}" for number in range(300)]
    for some in (names, names[100:]):
        Finding.objects.update(last_at=timezone.now() - timedelta(hours=1))
        with django_assert_max_num_queries(12):
            sync_findings(
                project.pk, ["drift"], {("drift", each): Details(why="w") for each in some}
            )
    assert len(open_alerts(project)) == 200


def dismissed(project):
    return dismiss(open_alerts(project)[0], by=OPERATOR)


def test_a_dismissed_event_reopens_when_it_recurs(project):
    notice(project)
    dismissed(project)
    assert open_alerts(project) == []
    notice(project)
    assert len(open_alerts(project)) == 1
    assert len(resolved_alerts(project)) == 1


def test_a_dismissed_condition_stays_dismissed_until_it_ends_and_recurs(project):
    drift(project, "a")
    dismissed(project)
    assert drift(project, "a") == set()
    assert Finding.objects.get().resolved_at is None
    assert drift(project) == set()
    assert Finding.objects.get().resolved_at is not None
    assert drift(project, "a") == {"a"}


def test_a_dismissal_is_audited_once_and_requires_an_operator(project):
    notice(project)
    (finding,) = open_alerts(project)
    with pytest.raises(Forbidden):
        dismiss(finding, by=person(0, "viewer@example.test", Role.VIEWER))
    for _ in range(2):
        assert dismiss(finding, by=OPERATOR).dismissed_by == str(OPERATOR)
    assert [each.action for each in AuditEntry.objects.all()] == ["alert dismissed"]
    assert verify(project) is None


def test_an_alert_that_does_not_recur_is_resolved_after_a_month(project):
    notice(project)
    drift(project, "a")
    assert end_findings() == 0
    Finding.objects.update(last_at=timezone.now() - timedelta(days=31))
    assert end_findings() == 1
    assert {each.subject for each in open_alerts(project)} == {"a"}


@pytest.mark.parametrize(
    "ended",
    [
        {"expires_at": timezone.now() - timedelta(hours=1)},
        {"last_used_at": timezone.now() - timedelta(days=31)},
        {"revoked_at": timezone.now()},
    ],
    ids=lambda ended: next(iter(ended)),
)
def test_an_alert_on_a_manage_key_is_resolved_once_the_key_is_inactive(project, ended):
    key = builders.a_key(project, "manage", last_used_at=timezone.now())[1]
    note_manage_key(
        project.pk, key_id=key.pk, name=key.name, environment="production", agent="bot", link="/"
    )
    Finding.objects.update(last_at=timezone.now() - timedelta(days=99))
    assert end_findings() == 0
    ApiKey.objects.filter(pk=key.pk).update(**ended)
    assert end_findings() == 1


def listed(project):
    return [each.subject for each in open_alerts(project)]


def condition(project, impact, severity="warning"):
    details = Details(why="So.", impact=impact, severity=severity)
    sync_findings(project.pk, ["drift"], {("drift", "a"): details})


def test_the_worst_alert_is_listed_first(project):
    fields = {
        "few": Details(why="w", severity="error", impact=7),
        "many": Details(why="w", severity="error", impact=48),
        "warned": Details(why="w", impact=900),
    }
    sync_findings(project.pk, ["odd"], {("odd", name): each for name, each in fields.items()})
    assert listed(project) == ["many", "few", "warned"]


def test_a_snoozed_alert_is_hidden_until_the_snooze_ends(project):
    builders.an_environment(project)
    condition(project, 5)
    snooze(open_alerts(project)[0], "hour", UTC, by=OPERATOR)
    condition(project, 500)
    assert (listed(project), navigation(project.pk, timezone.now()).alerts) == ([], 0)
    assert [each.subject for each in snoozed_alerts(project)] == ["a"]
    in_an_hour = timezone.now() + timedelta(hours=1, seconds=1)
    assert navigation(project.pk, in_an_hour).alerts == 1
    Finding.objects.update(snoozed_until=timezone.now())
    assert listed(project) == ["a"]


@pytest.mark.parametrize(
    ("impact", "severity", "opens"),
    [(5, "warning", False), (6, "warning", False), (7, "warning", True), (5, "error", True)],
)
def test_an_alert_snoozed_until_worse_reopens_when_it_worsens(project, impact, severity, opens):
    condition(project, 5)
    snooze(open_alerts(project)[0], "worse", UTC, by=OPERATOR)
    condition(project, impact, severity)
    assert listed(project) == (["a"] if opens else [])


def test_a_snooze_until_tomorrow_ends_at_9_am_in_the_users_time_zone():
    now = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    berlin = ZoneInfo("Europe/Berlin")  # already the 21st there
    assert snooze_end("tomorrow", now, berlin) == datetime(2026, 11, 22, 8, 0, tzinfo=UTC)
    assert snooze_end("tomorrow", now, UTC) == datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def test_an_operator_can_snooze_and_reopen_an_alert_and_both_are_audited(project):
    condition(project, 5)
    (alert,) = open_alerts(project)
    with pytest.raises(Forbidden):
        snooze(alert, "week", UTC, by=person(0, "viewer@example.test", Role.VIEWER))
    snooze(alert, "week", UTC, by=OPERATOR)
    reopen(alert, by=OPERATOR)
    assert listed(project) == ["a"]
    actions = [each.action for each in AuditEntry.objects.order_by("number")]
    assert actions == ["alert snoozed", "alert reopened"]

"""Dismiss and snooze alerts, and resolve those whose cause ended without a report."""

from datetime import datetime, timedelta, tzinfo

from django.db import transaction
from django.utils import timezone

from governance.alerts.domain import WORSE, snooze_end
from governance.alerts.queries import findings_of_unused_keys, forgotten_findings
from governance.audit_log import record
from governance.core.actor import Actor
from governance.models import Finding, Project
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import locked_project

FORGOTTEN_AFTER = timedelta(days=30)  # for events that did not recur


@transaction.atomic
def dismiss(finding: Finding, *, by: Actor) -> Finding:
    """Dismiss an alert. A dismissed or resolved alert is returned unchanged."""
    refuse_unless(by, Action.DISMISS_FINDING)
    row, project = _locked(finding)
    if row.resolved_at is not None or row.dismissed_at is not None:
        return row
    row.dismissed_at, row.dismissed_by = timezone.now(), str(by)[:320]
    if not row.lasts:
        row.resolved_at = row.dismissed_at
    row.save(update_fields=["dismissed_at", "dismissed_by", "resolved_at"])
    details = {"environment": row.environment, "why": row.why[:400]}
    record(by, "alert dismissed", _subject(row), project=project, details=details)
    return row


@transaction.atomic
def snooze(finding: Finding, snooze: str, zone: tzinfo, *, by: Actor) -> Finding:
    """Hide an open alert from the list for a while, or until it gets worse."""
    refuse_unless(by, Action.DISMISS_FINDING)
    row, project = _locked(finding)
    if row.resolved_at is not None or row.dismissed_at is not None:
        return row
    row.snoozed_until = snooze_end(snooze, timezone.now(), zone)
    row.snoozed_by = str(by)[:320]
    row.snoozed_impact = row.impact if snooze == WORSE else None
    row.save(update_fields=["snoozed_until", "snoozed_by", "snoozed_impact"])
    details = {"environment": row.environment, "until": row.snoozed_until.isoformat()}
    record(by, "alert snoozed", _subject(row), project=project, details=details)
    return row


@transaction.atomic
def reopen(finding: Finding, *, by: Actor) -> Finding:
    """End a snooze."""
    refuse_unless(by, Action.DISMISS_FINDING)
    row, project = _locked(finding)
    if row.snoozed_until is None:
        return row
    row.snoozed_until, row.snoozed_by, row.snoozed_impact = None, "", None
    row.save(update_fields=["snoozed_until", "snoozed_by", "snoozed_impact"])
    record(by, "alert reopened", _subject(row), project=project)
    return row


def _locked(finding: Finding) -> tuple[Finding, Project]:
    # Lock the project first, in the same order as when a revoked key resolves alerts.
    project = locked_project(finding.project)
    return Finding.objects.select_for_update(no_key=True).get(pk=finding.pk), project


def _subject(row: Finding) -> str:
    return (row.title or str(row))[:400]


def end_findings() -> int:
    """Resolve alerts whose cause ended without a report; returns how many."""
    now = timezone.now()
    gone = findings_of_unused_keys(now, unused_since=now - FORGOTTEN_AFTER)
    return _resolve(gone, now) + _resolve(forgotten_findings(now - FORGOTTEN_AFTER), now)


def _resolve(ids: list[int], now: datetime) -> int:
    if not ids:
        return 0
    with transaction.atomic():
        return Finding.objects.filter(pk__in=ids, resolved_at=None).update(resolved_at=now)

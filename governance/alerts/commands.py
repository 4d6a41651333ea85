"""The end of findings that nothing else ends: a person's dismissal, an ended key, time."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from governance.alerts.queries import findings_of_unused_keys, forgotten_findings
from governance.audit_log import record
from governance.core.actor import Actor
from governance.models import Finding
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import locked_project

FORGOTTEN_AFTER = timedelta(days=30)  # what happened and was not noticed again


@transaction.atomic
def dismiss(finding: Finding, *, by: Actor) -> Finding:
    """The present state again when it was over before."""
    refuse_unless(by, Action.DISMISS_FINDING)
    # The project first, as whoever revokes a key does: its finding ends with it.
    project = locked_project(finding.project)
    row = Finding.objects.select_for_update(no_key=True).get(pk=finding.pk)
    if row.resolved_at is not None or row.dismissed_at is not None:
        return row
    row.dismissed_at, row.dismissed_by = timezone.now(), str(by)[:320]
    if not row.lasts:
        row.resolved_at = row.dismissed_at
    row.save(update_fields=["dismissed_at", "dismissed_by", "resolved_at"])
    told = {"environment": row.environment, "why": row.why[:400]}
    record(by, "finding dismissed", str(row), project=project, details=told)
    return row


def end_findings() -> int:
    """Those whose cause is gone without anybody having told; how many."""
    now = timezone.now()
    gone = findings_of_unused_keys(now, unused_since=now - FORGOTTEN_AFTER)
    return _resolve(gone, now) + _resolve(forgotten_findings(now - FORGOTTEN_AFTER), now)


def _resolve(ids: list[int], now: datetime) -> int:
    if not ids:
        return 0
    with transaction.atomic():
        return Finding.objects.filter(pk__in=ids, resolved_at=None).update(resolved_at=now)

"""Approvals that ended long ago are removed with their arguments, which the audit log tells."""

from collections import Counter
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from governance.approvals.queries import approvals_ended_before, projects_with_approvals_before
from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE
from governance.core.approval_status import Status
from governance.models import Approval, Project

AT_ONCE = 500
RUNS = 40  # of one project at a time; the next look goes on
WORDS = {Status.APPROVED: "approved", Status.DENIED: "rejected", Status.TIMEOUT: "timed_out"}


def remove_old_approvals() -> int:
    """Those that ended so long ago, with their arguments; how many."""
    if settings.KEEP_APPROVALS <= 0:
        return 0
    before = timezone.now() - timedelta(days=settings.KEEP_APPROVALS)
    removed = 0
    for project in projects_with_approvals_before(before):
        for _ in range(RUNS):
            went = _remove_approvals(project, before)
            removed += went
            if went < AT_ONCE:
                break
    return removed


@transaction.atomic
def _remove_approvals(project: Project, before: datetime) -> int:
    rows = approvals_ended_before(project, before, AT_ONCE)
    if not rows:
        return 0
    Approval.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
    numbers = Counter(WORDS[Status(status)] for _, status, _ in rows)
    details: dict[str, Detail] = {
        "ended_from": rows[0][2].isoformat(),
        "ended_until": rows[-1][2].isoformat(),
    }
    subject = f"{len(rows):,} that ended before {before:%Y-%m-%d}"
    record(CONSOLE, "old approvals removed", subject, project=project, details=details | numbers)
    return len(rows)

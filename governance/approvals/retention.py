"""Retention: removes old approvals with their arguments, and records it in the audit log."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from governance.approvals.queries import approvals_ended_before
from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE
from governance.core.approval_status import Status
from governance.models import Approval, Environment

AT_ONCE = 500
WORDS = {Status.APPROVED: "approved", Status.DENIED: "rejected", Status.TIMEOUT: "timed_out"}


@transaction.atomic
def remove_approvals(
    environment: Environment, before: datetime, *, held: Collection[str] = ()
) -> int:
    """Remove a batch of ended approvals, oldest first, except those of held sessions."""
    rows = approvals_ended_before(environment, before, AT_ONCE, held)
    if not rows:
        return 0
    Approval.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
    numbers = Counter(WORDS[Status(status)] for _, status, _ in rows)
    details: dict[str, Detail] = {
        "environment": environment.name,
        "ended_from": rows[0][2].isoformat(),
        "ended_until": rows[-1][2].isoformat(),
    }
    subject = f"{len(rows):,} that ended before {before:%Y-%m-%d}"
    project = environment.project
    record(CONSOLE, "old approvals removed", subject, project=project, details=details | numbers)
    return len(rows)

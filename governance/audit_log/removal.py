"""Retention: remove the start of a log, with a checkpoint so that the rest still verifies.

Triggers reject every other removal. They allow what a row of AuditRemoval covers, and that row
exists only within one transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from governance.audit_log.chain import Detail, queue_at, record
from governance.audit_log.heads import sign_head
from governance.core.actor import CONSOLE
from governance.models import AuditEntry, AuditHead, AuditRemoval, AuditStream, Project

REMOVED = "audit entries removed"


def entries_before(project: Project, before: datetime) -> QuerySet[AuditEntry]:
    """Entries before this time that the log's stream, if any, has delivered."""
    later = AuditEntry.objects.filter(project=project, at__gte=before).order_by("number")
    first = later.values_list("number", flat=True).first()
    rows = AuditEntry.objects.filter(project=project)
    streams = AuditStream.objects.filter(project=project)
    if streams.exists():
        rows = rows.filter(number__lte=streams.values("delivered")[:1])
    return rows.none() if first is None else rows.filter(number__lt=first)


@transaction.atomic
def remove_entries(project: Project, before: datetime) -> int:
    """Remove the start of the log; a signed entry records the last removed hash."""
    queue_at(project)
    rows = entries_before(project, before)
    last = rows.order_by("-number").first()
    if last is None:
        return 0
    number = rows.count()
    details: dict[str, Detail] = {"up_to": last.number, "hash": last.hash, "entries": number}
    record(CONSOLE, REMOVED, f"{number:,} entries before {before:%Y-%m-%d}",
           project=project, details=details)  # fmt: skip
    sign_head(project)
    with _removable(project, last.number):
        rows.delete()
        AuditHead.objects.filter(project=project, number__lt=last.number).delete()
    return number


def remove_log(project: Project) -> None:
    """Remove the log of a project that is being removed."""
    rows = AuditEntry.objects.filter(project=project)
    last = rows.order_by("-number").values_list("number", flat=True).first()
    with _removable(project, last or 0):
        rows.delete()
        AuditHead.objects.filter(project=project).delete()


@contextmanager
def _removable(project: Project, up_to: int) -> Iterator[None]:
    row = AuditRemoval.objects.create(project_number=project.pk, up_to=up_to)
    yield
    row.delete()

"""The audit log as it is read: newest first, page by page."""

from governance.models import AuditEntry, Project


def audit_entries(
    project: Project, *, before: int | None = None, limit: int = 50
) -> list[AuditEntry]:
    rows = AuditEntry.objects.filter(project=project).order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])


def audit_length(project: Project) -> int:
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    return last.number if last else 0

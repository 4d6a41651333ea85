"""The list of what needs attention."""

from governance.models import Finding, Project


def open_findings(project: Project, limit: int = 200) -> list[Finding]:
    """Newest first."""
    rows = Finding.objects.filter(project=project, resolved_at=None)
    return list(rows.order_by("-since", "-id")[:limit])


def resolved_findings(project: Project, limit: int = 50) -> list[Finding]:
    """The latest resolved first."""
    rows = Finding.objects.filter(project=project).exclude(resolved_at=None)
    return list(rows.order_by("-resolved_at", "-id")[:limit])


def number_of_open_findings(project: Project) -> int:
    return Finding.objects.filter(project=project, resolved_at=None).count()

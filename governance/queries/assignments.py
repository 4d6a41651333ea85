"""The assignments of a project as they are listed and changed."""

from governance.models import Assignment, Environment, Project


def assignment_of(environment: Environment, agent: str, tags_digest: str) -> Assignment | None:
    rows = Assignment.objects.filter(environment=environment, ended_at=None)
    return rows.select_related("bundle").filter(agent=agent, tags_digest=tags_digest).first()


def assignment_numbered(project: Project, assignment_id: int) -> Assignment | None:
    rows = Assignment.objects.select_related("bundle", "environment__project")
    return rows.filter(environment__project=project, pk=assignment_id).first()


def assignments_before(
    project: Project, before: int | None, limit: int, *, environment: str = ""
) -> list[Assignment]:
    """A page of those in force, newest first."""
    rows = Assignment.objects.filter(environment__project=project, ended_at=None)
    if environment:
        rows = rows.filter(environment__name=environment)
    if before:
        rows = rows.filter(pk__lt=before)
    return list(rows.select_related("bundle", "environment").order_by("-id")[:limit])

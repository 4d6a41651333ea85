"""Projects and their environments."""

from governance.models import Environment, Project


def project_with(slug: str) -> Project | None:
    return Project.objects.filter(slug=slug).first()


def project_numbered(project_id: int) -> Project:
    return Project.objects.get(pk=project_id)


def environments(project: Project) -> list[str]:
    return list(Environment.objects.filter(project=project).values_list("name", flat=True))

"""Projects and their environments."""

from django.db.models import Exists, OuterRef, Q

from governance.core.deployment_requests import NOTHING_REQUIRED, Required
from governance.models import (
    Environment,
    Project,
    Requirements,
)


def project_with(slug: str) -> Project | None:
    return Project.objects.filter(slug=slug).first()


def projects() -> list[Project]:
    return list(Project.objects.all())


def demo_projects() -> list[Project]:
    return list(Project.objects.filter(is_demo=True))


def demo_of(project: Project) -> Project | None:
    """Demo that shares members with this project, or one without members."""
    theirs = Q(members__user__memberships__project=project) | Q(members=None)
    return Project.objects.filter(theirs, is_demo=True).distinct().first()


def project_of_demo(demo: Project) -> Project:
    """Project whose members see this demo, else the first project that is not a demo."""
    real = Project.objects.filter(is_demo=False).order_by("pk")
    return real.filter(members__user__memberships__project=demo).first() or real[0]


def project_numbered(project_id: int) -> Project:
    return Project.objects.get(pk=project_id)


def environments(project: Project) -> list[str]:
    return list(Environment.objects.filter(project=project).values_list("name", flat=True))


def environments_by_id(project_id: int) -> dict[int, str]:
    return dict(Environment.objects.filter(project=project_id).values_list("id", "name"))


def environment_with(project: Project, name: str) -> Environment | None:
    if "\0" in name:  # PostgreSQL rejects NUL in a query
        return None
    return Environment.objects.filter(project=project, name=name).first()


def projects_with_agents() -> list[Project]:
    """Projects with an environment; agents need one for their keys."""
    return list(Project.objects.filter(Exists(Environment.objects.filter(project=OuterRef("pk")))))


def locked_project(project: Project) -> Project:
    """Locked project row, so that nothing is signed with a key that is being retired."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def required_in(project: Project, environment: str) -> Required:
    row = Requirements.objects.filter(
        environment__project=project, environment__name=environment
    ).first()
    return row.required() if row else NOTHING_REQUIRED


def requirements_by_environment(project: Project) -> dict[str, Required]:
    """Requirements of all environments, by name."""
    rows = Environment.objects.filter(project=project).select_related("requirements")
    return {row.name: _required(row) for row in rows}


def _required(environment: Environment) -> Required:
    row: Requirements | None = getattr(environment, "requirements", None)
    return row.required() if row else NOTHING_REQUIRED

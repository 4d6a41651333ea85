"""Projects and their environments."""

from django.db.models import Exists, OuterRef, Q

from governance.models import Environment, Project


def project_with(slug: str) -> Project | None:
    return Project.objects.filter(slug=slug).first()


def projects() -> list[Project]:
    return list(Project.objects.all())


def demo_projects() -> list[Project]:
    return list(Project.objects.filter(is_demo=True))


def demo_beside(project: Project) -> Project | None:
    """The demo that members of this project see, or one that nobody belongs to yet."""
    theirs = Q(members__user__memberships__project=project) | Q(members=None)
    return Project.objects.filter(theirs, is_demo=True).distinct().first()


def project_beside(demo: Project) -> Project:
    """One whose members see this demo too; where there is none, the first of all that are real."""
    real = Project.objects.filter(is_demo=False).order_by("pk")
    return real.filter(members__user__memberships__project=demo).first() or real[0]


def project_numbered(project_id: int) -> Project:
    return Project.objects.get(pk=project_id)


def environments(project: Project) -> list[str]:
    return list(Environment.objects.filter(project=project).values_list("name", flat=True))


def environments_by_id(project_id: int) -> dict[int, str]:
    return dict(Environment.objects.filter(project=project_id).values_list("id", "name"))


def environment_with(project: Project, name: str) -> Environment | None:
    if "\0" in name:  # more than PostgreSQL would look for
        return None
    return Environment.objects.filter(project=project, name=name).first()


def projects_with_agents() -> list[Project]:
    """Those that have an environment, without which there is no key to be an agent with."""
    return list(Project.objects.filter(Exists(Environment.objects.filter(project=OuterRef("pk")))))


def locked_project(project: Project) -> Project:
    """Whoever signs waits here, so that nothing is signed with a key that was just retired."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)

"""Projects: made by who is admin of another, renamed by their own admins."""

from django.db import transaction
from django.utils.text import slugify

from governance.audit_log import record
from governance.core.actor import CONSOLE, Actor, person
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.delivery.commands.documents import complete_documents
from governance.models import Member, Project, User
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import is_admin_somewhere

FIRST_PROJECT = "default"


@transaction.atomic
def first_project() -> Project:
    """The project `default`, made at the console's first start."""
    project, made = Project.objects.get_or_create(
        slug=FIRST_PROJECT, defaults={"name": FIRST_PROJECT}
    )
    if made:
        record(CONSOLE, "project created", project.slug, project=project)
        complete_documents(project)
    return project


@transaction.atomic
def create_project(*, name: str, user: User) -> Project:
    """A new project, with its maker as its first admin."""
    if not is_admin_somewhere(user):
        raise Forbidden("To make a project takes the role admin in another one.")
    name = _name(name)
    slug = slugify(name)[:64].strip("-")
    if not slug:
        raise _invalid("Use at least one letter or digit, a to z.")
    project, made = Project.objects.get_or_create(slug=slug, defaults={"name": name})
    if not made:  # or it was, a moment ago
        raise Conflict(f"A project with the address {slug} exists already.")
    Member.objects.create(project=project, user=user, role=Role.ADMIN)
    by = person(user.pk, user.email, Role.ADMIN)
    record(by, "project created", slug, project=project, details={"name": name})
    complete_documents(project)
    return project


@transaction.atomic
def rename_project(project: Project, *, name: str, by: Actor) -> None:
    refuse_unless(by, Action.MANAGE_SETTINGS)
    was, project.name = project.name, _name(name)
    if project.name == was:
        return
    project.save(update_fields=["name"])
    details = {"was": was, "name": project.name}
    record(by, "project renamed", project.slug, project=project, details=details)


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > 128:
        raise _invalid("The name of a project has 1 to 128 characters.")
    return name


def _invalid(message: str) -> InvalidInput:
    return InvalidInput.at("name", message)

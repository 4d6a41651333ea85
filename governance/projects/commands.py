"""Create, rename and remove projects, including demos."""

from datetime import timedelta
from itertools import count
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from governance.audit_log import Detail, queue_at, record, remove_log
from governance.core.actor import CONSOLE, Actor, person
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.figures import percent
from governance.core.roles import Role
from governance.delivery.commands.documents import complete_documents
from governance.models import ApiKey, Member, Project, User
from governance.people.commands.keys import make_key, revoke_key
from governance.people.domain import Scope
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import is_admin_somewhere, members
from governance.people.queries.projects import demo_of

FIRST_PROJECT = "default"


@transaction.atomic
def first_project() -> Project:
    """Create the project `default` at the console's first start, or return the existing one."""
    project, made = Project.objects.get_or_create(
        slug=FIRST_PROJECT, defaults={"name": FIRST_PROJECT}
    )
    if made:
        record(CONSOLE, "project created", project.slug, project=project)
        complete_documents(project)
    return project


@transaction.atomic
def create_project(*, name: str, user: User) -> Project:
    """Create a project, with its creator as the first admin."""
    if not is_admin_somewhere(user):
        raise Forbidden("You need the admin role in another project to create one.")
    name = _name(name)
    slug = slugify(name)[:64].strip("-")
    if not slug:
        raise _invalid("Use at least one letter or digit, a to z.")
    project, made = Project.objects.get_or_create(slug=slug, defaults={"name": name})
    if not made:  # possibly by a concurrent request
        raise Conflict(f"A project with the address {slug} already exists.")
    Member.objects.create(project=project, user=user, role=Role.ADMIN)
    by = person(user.pk, user.email, Role.ADMIN)
    record(by, "project created", slug, project=project, details={"name": name})
    complete_documents(project)
    return project


@transaction.atomic
def set_success_target(project: Project, *, target: float | None, by: Actor) -> None:
    """Set the success rate, 0 to 1, below which rates are shown in red; None: no target."""
    refuse_unless(by, Action.SET_TARGET)
    if project.success_target == target:
        return
    project.success_target = target
    project.save(update_fields=["success_target"])
    details: dict[str, Detail] = {"target": None if target is None else percent(target)}
    record(by, "success target set", project.slug, project=project, details=details)


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
        raise _invalid("Enter a name of 1 to 128 characters.")
    return name


def _invalid(message: str) -> InvalidInput:
    return InvalidInput.at("name", message)


SLUG: Final = "demo"
KEY_NAME: Final = "demo"
ENVIRONMENT: Final = "production"
KEY_LASTS: Final = timedelta(minutes=30)  # in case its process dies before revoking it


@transaction.atomic
def make_demo_project(origin: Project, *, by: Actor) -> Project:
    """Create a demo project with the members and roles of this project."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    queue_at(origin)
    if demo_of(origin):
        raise Conflict("A demo project already exists. Remove it first.")
    project = _made()
    Member.objects.bulk_create(
        Member(project=project, user=member.user, role=member.role) for member in members(origin)
    )
    record(by, "demo created", project.slug, project=origin)
    record(by, "project created", project.slug, project=project, details={"demo": True})
    complete_documents(project)
    return project


def _made() -> Project:
    """Create the project under the first free slug; safe against concurrent creation."""
    for number in count(1):
        slug = SLUG if number == 1 else f"{SLUG}-{number}"
        fields = {"name": "Demo", "is_demo": True}
        project, made = Project.objects.get_or_create(slug=slug, defaults=fields)
        if made:
            break
    return project


def make_demo_key(project: Project) -> str:
    """Key for the process that generates demo data; revoked once it is done."""
    text, _ = make_key(
        project,
        name=KEY_NAME,
        env=ENVIRONMENT,
        scopes=[Scope.MANAGE],
        by=CONSOLE,
        expires=timezone.now() + KEY_LASTS,
    )
    return text


def revoke_demo_keys(project: Project) -> None:
    """Revoke all remaining keys; agents revoke their own when done, unless their process died."""
    for key in ApiKey.objects.filter(project=project, revoked_at=None):
        revoke_key(key, by=CONSOLE)


@transaction.atomic
def remove_demo_project(
    project: Project, *, logged_in: Project, by: Actor, went: dict[str, Detail]
) -> None:
    """Remove the demo with all its rows. Repeated calls record this only once, in another
    project's audit log."""
    if not project.is_demo:
        raise Conflict("Only demo projects can be removed this way.")
    refuse_unless(by, Action.MANAGE_SETTINGS)
    if not Project.objects.select_for_update().filter(pk=project.pk).exists():
        return
    record(by, "demo removed", project.slug, project=logged_in, details=went)
    ApiKey.objects.filter(project=project).delete()
    remove_log(project)
    project.delete()

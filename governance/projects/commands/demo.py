"""Demo projects: made beside another one for its members, and removed as a whole."""

from datetime import timedelta
from itertools import count
from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, queue_at, record
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict
from governance.delivery.commands.documents import complete_documents
from governance.models import ApiKey, AuditEntry, Member, Project
from governance.people.commands.keys import make_key, revoke_key
from governance.people.domain import Scope
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import members
from governance.people.queries.projects import demo_beside

SLUG: Final = "demo"
KEY_NAME: Final = "demo"
ENVIRONMENT: Final = "production"
KEY_LASTS: Final = timedelta(minutes=30)  # should its process die before it revokes it


@transaction.atomic
def make_demo_project(beside: Project, *, by: Actor) -> Project:
    """For everybody who belongs to the project beside it, in the same role."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    queue_at(beside)
    if demo_beside(beside):
        raise Conflict("There is a demo already; remove it first.")
    project = _made()
    Member.objects.bulk_create(
        Member(project=project, user=member.user, role=member.role) for member in members(beside)
    )
    record(by, "demo made", project.slug, project=beside)
    record(by, "project created", project.slug, project=project, details={"demo": True})
    complete_documents(project)
    return project


def _made() -> Project:
    """Under the first address that is free, also while another is making one."""
    for number in count(1):
        slug = SLUG if number == 1 else f"{SLUG}-{number}"
        fields = {"name": "Demo", "is_demo": True}
        project, made = Project.objects.get_or_create(slug=slug, defaults=fields)
        if made:
            break
    return project


def make_demo_key(project: Project) -> str:
    """What the process that fills the project works with; revoked when it is done."""
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
    """All that are left: the agents' own are revoked as soon as they are done, unless they died."""
    for key in ApiKey.objects.filter(project=project, revoked_at=None):
        revoke_key(key, by=CONSOLE)


@transaction.atomic
def remove_demo_project(
    project: Project, *, told_in: Project, by: Actor, went: dict[str, Detail]
) -> None:
    """The project with everything that is left of it; another one's audit log tells of it, once,
    however many press the button at the same time."""
    if not project.is_demo:
        raise Conflict("Only a demo is removed like this.")
    refuse_unless(by, Action.MANAGE_SETTINGS)
    if not Project.objects.select_for_update().filter(pk=project.pk).exists():
        return
    record(by, "demo removed", project.slug, project=told_in, details=went)
    ApiKey.objects.filter(project=project).delete()
    AuditEntry.objects.filter(project=project).delete()
    project.delete()

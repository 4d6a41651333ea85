"""Record a person's sign-ins and second factors in the audit logs of all their projects."""

from collections.abc import Mapping

from django.db import transaction

from governance.audit_log import Detail, record
from governance.core.actor import Actor, person
from governance.core.roles import Role
from governance.models import Project, User
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import memberships


@transaction.atomic
def record_in_projects(
    user: User, action: str, *, details: Mapping[str, Detail] | None = None, by: Actor | None = None
) -> None:
    """Record an action by the person, or by another actor, in all of the person's projects.

    The log belongs to projects, so there is no entry for a person without one.
    """
    # In a fixed order, to avoid deadlocks: each entry locks its project until commit.
    for member in sorted(memberships(user), key=lambda member: member.project_id):
        actor = by or person(user.pk, user.email, Role(member.role))
        record(actor, action, user.email, project=member.project, details=details)


@transaction.atomic
def require_second_factor(project: Project, *, required: bool, by: Actor) -> None:
    """Set whether members need a second factor to see the project. Keys are not affected."""
    refuse_unless(by, Action.MANAGE_MEMBERS)
    if project.second_factor == required:
        return
    project.second_factor = required
    project.save(update_fields=["second_factor"])
    action = "second factor required" if required else "second factor no longer required"
    record(by, action, project.slug, project=project)

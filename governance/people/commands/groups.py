"""Sync roles from the groups of an identity provider."""

import logging
from collections.abc import Mapping

from django.db import transaction

from governance.audit_log import queue_at, record
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Member, Project, User
from governance.people.commands.people import change_role, remove_member

logger = logging.getLogger(__name__)


@transaction.atomic
def follow_groups(user: User, roles: Mapping[str, Role | None], *, provider: str) -> None:
    """Set a person's role in each project, and end memberships without one.

    The only admin of a project remains admin.
    """
    # In a fixed order, to avoid deadlocks: each project stays locked until commit.
    for project in Project.objects.filter(slug__in=roles).order_by("pk"):
        queue_at(project)
        member = Member.objects.select_related("project", "user").filter(project=project, user=user)
        try:
            _follow(user, project, member.first(), roles[project.slug], provider)
        except Conflict:
            logger.warning("The only admin of %s keeps the role", project.slug)


def _follow(
    user: User, project: Project, member: Member | None, role: Role | None, provider: str
) -> None:
    if member is None and role is not None:
        Member.objects.create(project=project, user=user, role=role)
        details = {"role": role.value, "groups_of": provider}
        record(CONSOLE, "member added", user.email, project=project, details=details)
    elif member is not None and role is not None:
        change_role(member, role=role, by=CONSOLE)
    elif member is not None:
        remove_member(member, by=CONSOLE)

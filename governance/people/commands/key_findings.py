"""What is noticed of keys, and the end of it."""

from django.urls import reverse

from governance.core.roles import Role
from governance.findings import found, resolve
from governance.models import Project, User
from governance.people.key_findings import KEYS_OF_MEMBER, MANAGE_KEY, subject_of_key
from governance.people.queries.keys import live_keys_of
from governance.people.queries.people import member_of


def note_manage_key(
    project_id: int, *, key_id: int, name: str, environment: str, agent: str, link: str
) -> None:
    """Whoever reads an agent's memory could change what it may do."""
    found(
        project_id,
        MANAGE_KEY,
        subject_of_key(key_id, name),
        why=(
            f"The agent {agent} brings a key with the scope manage, so it could change its own"
            " contracts. Give it a key with the scope agent alone, and revoke this one."
        ),
        link=link,
        environment=environment,
        agent=agent,
    )


def note_keys_of(maker: User, project: Project) -> None:
    """Keys end with their maker, which is told as soon as that person may make keys no more."""
    keys = live_keys_of(maker, project)
    member = member_of(project, maker)
    if not keys or member is None or member.role == Role.ADMIN:
        resolve(project.pk, KEYS_OF_MEMBER, maker.email)
        return
    names = ", ".join(key.name for key in keys)
    found(
        project.pk,
        KEYS_OF_MEMBER,
        maker.email,
        why=(
            f"{maker.email} made these keys and is not an admin any more: {names}. They stop when"
            " this person is removed or deactivated. Create new keys for the agents that use them,"
            " and revoke these."
        ),
        link=reverse("governance:keys", args=[project.slug]),
    )


def forget_manage_key(project_id: int, *, key_id: int, name: str) -> None:
    resolve(project_id, MANAGE_KEY, subject_of_key(key_id, name))

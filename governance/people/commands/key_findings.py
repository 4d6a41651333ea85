"""Alerts about keys: opened and resolved."""

from django.urls import reverse

from governance.core.roles import Role
from governance.core.texts import code
from governance.findings import open_finding, resolve
from governance.models import Project, User
from governance.people.domain import KEYS_OF_MEMBER, MANAGE_KEY, subject_of_key
from governance.people.queries.keys import live_keys_of
from governance.people.queries.people import member_of


def note_manage_key(
    project_id: int, *, key_id: int, name: str, environment: str, agent: str, link: str
) -> None:
    """A manage key in an agent's memory can change its contracts."""
    open_finding(
        project_id,
        MANAGE_KEY,
        subject_of_key(key_id, name),
        title=f"{code(agent)} uses the manage key {code(name)}",
        severity="error",
        why=(
            f"{environment}. With this key the agent can change its own contracts. Give it a key"
            " with the agent scope only, then revoke this one."
        ),
        link=link,
        environment=environment,
        agent=agent,
    )


def note_keys_of(maker: User, project: Project) -> None:
    """Keys stop with the account that created them: an alert, once it isn't an admin any more."""
    keys = live_keys_of(maker, project)
    member = member_of(project, maker)
    if not keys or member is None or member.role == Role.ADMIN:
        resolve(project.pk, KEYS_OF_MEMBER, maker.email)
        return
    names = ", ".join(key.name for key in keys)
    open_finding(
        project.pk,
        KEYS_OF_MEMBER,
        maker.email,
        title=(
            f"{len(keys)} key{'s' if len(keys) > 1 else ''} tied to former admin"
            f" {code(maker.email)}"
        ),
        why=(
            f"{maker.email} created {names} and is no longer an admin. The keys stop when this"
            " account is removed or deactivated. Create new keys for their agents, then revoke"
            " these."
        ),
        link=reverse("governance:keys", args=[project.slug]),
    )


def forget_manage_key(project_id: int, *, key_id: int, name: str) -> None:
    resolve(project_id, MANAGE_KEY, subject_of_key(key_id, name))

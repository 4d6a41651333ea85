"""Open and resolve alerts about keys."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone

from governance.core.actor import shown
from governance.core.roles import Role
from governance.core.texts import code
from governance.findings import Details, open_finding, resolve, sync_findings
from governance.models import ApiKey, Project, User
from governance.people.auth.access import Access
from governance.people.domain import (
    KEY_EXPIRES,
    KEY_IN_DATA,
    KEYS_OF_MEMBER,
    MANAGE_KEY,
    digest_of,
    hint_of,
    subject_of_key,
)
from governance.people.queries.keys import key_with, keys_expiring_before, live_keys_of
from governance.people.queries.people import member_of
from governance.people.queries.projects import projects

logger = logging.getLogger(__name__)

NOTICE: Final = timedelta(days=14)  # before a key expires
URGENT: Final = timedelta(days=2)
IN_USE: Final = timedelta(days=30)  # time since a key's last use


def note_manage_key(
    project_id: int, *, key_id: int, name: str, environment: str, agent: str, link: str
) -> None:
    """Open an alert: an agent uses a manage key, so it can change its own contracts."""
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
    """Open an alert if a former admin has active keys, which end with the account; else resolve."""
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


def report_keys_in_data(access: Access, keys: Iterable[str], *, agent: str) -> None:
    """Open alerts for keys found in a post. The post is acknowledged even if that fails."""
    try:
        for key in keys:
            note_key_in_data(access, key, agent=agent)
    except DatabaseError:
        logger.warning("Could not report an API key that was sent as data", exc_info=True)


def note_key_in_data(access: Access, key: str, *, agent: str) -> None:
    """Open an alert: an item contained a key, and anyone who could read it could use the key."""
    row = key_with(access.project_id, digest_of(key))
    address = "governance:rotate_key" if row else "governance:keys"
    numbers = [row.pk] if row else []
    open_finding(
        access.project_id,
        KEY_IN_DATA,
        hint_of(key),
        title=f"API key {code(hint_of(key))} was sent as data",
        severity="error" if row else "warning",
        why=_why_in_data(row, agent or shown(str(access.actor))),
        link=reverse(address, args=[access.project_slug, *numbers]),
        environment=access.environment,
        agent=agent,
    )


def _why_in_data(row: ApiKey | None, sender: str) -> str:
    masked = f"{sender} sent it in an output, argument or error. It was masked before storing."
    if row is None:
        return f"{masked} It is not a key of this project. Find out who uses it and rotate it."
    return f"{masked} It is {row.name}. Rotate it: models and logs may have seen it."


def note_expiring_keys() -> None:
    """Open alerts about keys in use that expire soon; resolve those of other keys."""
    for project in projects():
        note_expiring_keys_of(project)


def note_expiring_keys_of(project: Project) -> None:
    now = timezone.now()
    keys = keys_expiring_before(project, now + NOTICE, used_since=now - IN_USE)
    seen = {
        (KEY_EXPIRES, subject_of_key(key.pk, key.name)): _expiring(key, end)
        for key in keys
        if (end := key.expires_at) is not None and end - now < _notice(key, end)
    }
    sync_findings(project.pk, [KEY_EXPIRES], seen)


def _notice(key: ApiKey, end: datetime) -> timedelta:
    """Notice period: at most a quarter of the lifetime, or short-lived keys would always alert."""
    return min(NOTICE, (end - (key.rotated_at or key.created_at)) / 4)


def _expiring(key: ApiKey, end: datetime) -> Details:
    return Details(
        title=f"Key {code(key.name)} expires on {end:%d %b %Y}",
        why=(
            f"It is in use in {key.environment.name}. After that, its agents' posts are rejected."
            " Rotate it: the old value stays valid while you replace it."
        ),
        severity="error" if end < timezone.now() + URGENT else "warning",
        link=reverse("governance:rotate_key", args=[key.project.slug, key.pk]),
        environment=key.environment.name,
        agent=key.agent,
    )

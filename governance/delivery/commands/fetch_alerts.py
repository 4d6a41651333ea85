"""What fetching a document gives away: an agent that repeats itself, a key that may too much."""

from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from governance.alerts.findings import found, resolve
from governance.alerts.queries import KEYS_OF_MEMBER, MANAGE_KEY, subject_of_key
from governance.core.roles import Role
from governance.models import Fetches, Project, User
from governance.people.queries.keys import live_keys_of
from governance.people.queries.people import member_of


@transaction.atomic
def note_fetch(environment_id: int, agent: str, *, key_id: int) -> None:
    """The last three times are enough to see that an agent repeats itself."""
    now = timezone.now()
    rows = Fetches.objects.filter(environment=environment_id, agent=agent)
    again = rows.update(
        third_last_at=F("second_last_at"),
        second_last_at=F("last_at"),
        last_at=now,
        key_id=key_id,
    )
    if not again:
        first = Fetches(environment_id=environment_id, agent=agent, key_id=key_id, last_at=now)
        Fetches.objects.bulk_create([first], ignore_conflicts=True)


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

"""Author of a change: a person, a key, or the console itself."""

import re
from dataclasses import dataclass
from enum import StrEnum

from governance.core.roles import Role

_NUMBERED_KEY = re.compile(r"\Akey:\d+ ")


class ActorKind(StrEnum):
    PERSON = "person"
    KEY = "key"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class Actor:
    kind: ActorKind
    id: int | None
    label: str
    role: Role | None = None  # in the current project; a key's role follows from its scopes
    person_id: int | None = None  # the person who acts, directly or with a key they created
    environment_roles: tuple[tuple[str, Role], ...] = ()  # those above the project role

    def role_in(self, environment: str) -> Role | None:
        """The higher of the project role and the role in this environment."""
        there = dict(self.environment_roles).get(environment)
        if there is None or (self.role is not None and self.role.reaches(there)):
            return self.role
        return there

    def __str__(self) -> str:
        match self.kind:
            case ActorKind.PERSON:
                return f"person:{self.label}"
            case ActorKind.KEY:
                return f"key:{self.id} {self.label}"
            case ActorKind.CONSOLE:
                return "console"


def shown(actor: str) -> str:
    """Actor from the audit log as readable text: drops the `person:` prefix and a key's number."""
    return _NUMBERED_KEY.sub("key ", actor.removeprefix(f"{ActorKind.PERSON}:"))


CONSOLE = Actor(ActorKind.CONSOLE, None, "console", Role.ADMIN)


def person(
    user_id: int,
    email: str,
    role: Role | None = None,
    environment_roles: tuple[tuple[str, Role], ...] = (),
) -> Actor:
    return Actor(
        ActorKind.PERSON,
        user_id,
        email,
        role,
        person_id=user_id,
        environment_roles=environment_roles,
    )

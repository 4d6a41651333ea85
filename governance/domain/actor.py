"""Who does something: a person, a key, or the console itself."""

from dataclasses import dataclass
from enum import StrEnum

from governance.domain.roles import Role


class ActorKind(StrEnum):
    PERSON = "person"
    KEY = "key"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class Actor:
    kind: ActorKind
    id: int | None
    label: str
    role: Role | None = None  # in the project at hand; a key's follows from its scopes

    def __str__(self) -> str:
        match self.kind:
            case ActorKind.PERSON:
                return f"person:{self.label}"
            case ActorKind.KEY:
                return f"key:{self.id} {self.label}"
            case ActorKind.CONSOLE:
                return "console"


def shown(actor: str) -> str:
    """An actor as the log writes it, for people to read: an e-mail needs no word before it."""
    return actor.removeprefix(f"{ActorKind.PERSON}:")


CONSOLE = Actor(ActorKind.CONSOLE, None, "console", Role.ADMIN)


def person(user_id: int, email: str, role: Role | None = None) -> Actor:
    return Actor(ActorKind.PERSON, user_id, email, role)

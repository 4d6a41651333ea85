"""Access rights of a key or a member, as every route gets them."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from governance.core.actor import Actor, ActorKind, person
from governance.core.masks.stored import StoredMasking
from governance.core.roles import Role
from governance.matching.globs import glob_matches
from governance.models import ApiKey, MaskingRules, Member
from governance.people import policies
from governance.people.domain import is_within, with_implied
from governance.people.queries.masking import masking_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    project_id: int
    project_slug: str
    environment_id: int | None  # None for members, who have the whole project
    environment: str
    scopes: frozenset[str]
    agent: str  # a glob; empty: any agent
    assigned_only: bool
    dialect: str
    actor: Actor
    networks: tuple[str, ...] = ()  # empty: any address
    requests_per_minute: int | None = None
    items_per_minute: int | None = None
    masking: StoredMasking | None = None  # None: secrets are masked on display

    def has_any(self, scopes: tuple[str, ...]) -> bool:
        return not scopes or not self.scopes.isdisjoint(scopes)

    def admits_agent(self, agent_id: str) -> bool:
        return not self.agent or glob_matches(self.agent, agent_id)

    def admits_address(self, address: str) -> bool:
        return not self.networks or is_within(address, self.networks)


class AccessRequest(HttpRequest):
    """An authenticated API request."""

    auth: Access


def access_of_key(key: ApiKey) -> Access:
    scopes = with_implied(frozenset(key.scopes))
    rules: MaskingRules | None = getattr(key.project, "masking", None)
    return Access(
        project_id=key.project_id,
        project_slug=key.project.slug,
        environment_id=key.environment_id,
        environment=key.environment.name,
        scopes=scopes,
        agent=key.agent,
        assigned_only=key.assigned_only,
        dialect=key.dialect,
        actor=Actor(
            ActorKind.KEY,
            key.pk,
            key.name,
            policies.role_of_key(scopes),
            person_id=key.maker_id,
        ),
        networks=tuple(key.networks),
        requests_per_minute=key.requests_per_minute,
        items_per_minute=key.items_per_minute,
        masking=masking_by(rules) if rules else None,
    )


def access_of_member(member: Member) -> Access:
    role = Role(member.role)
    return Access(
        project_id=member.project_id,
        project_slug=member.project.slug,
        environment_id=None,
        environment="",
        scopes=policies.scopes_of_role(role),
        agent="",
        assigned_only=False,
        dialect="",
        actor=person(member.user_id, member.user.email, role, member.roles_there()),
    )


def console_address(request: HttpRequest) -> str:
    """Base URL of the console, without a trailing slash: SITE_URL, else the request's own."""
    address: str = settings.SITE_URL
    return address or request.build_absolute_uri("/").rstrip("/")

"""From a request to who asks and what they may: an API key's scopes, or a member's role."""

import logging
import time
from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.security.base import AuthBase
from ninja.utils import check_csrf

from governance import policies
from governance.domain.actor import Actor, ActorKind, person
from governance.domain.api_keys import Scope, bearer, digest_of, with_implied
from governance.domain.errors import Forbidden, NotFound, Unauthenticated
from governance.domain.globs import glob_matches
from governance.domain.roles import Role
from governance.models import ApiKey, Member, User
from governance.policies import Action

logger = logging.getLogger(__name__)

CACHE_SECONDS = 1.0  # a revoked key is refused after at most so long
CACHE_ENTRIES = 4_096
LAST_USED_EVERY = timedelta(minutes=1)
AGENT_HEADER = "X-Edictum-Agent-Id"
LAST_PROJECT = "project"  # in a browser's session: the slug of the project used last

_monotonic = time.monotonic
_cache: dict[bytes, tuple[float, "Access"]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    project_id: int
    project_slug: str
    environment_id: int | None  # a member's is none: the whole project
    environment: str
    scopes: frozenset[str]
    agent: str  # a glob; empty: any agent
    assigned_only: bool
    dialect: str
    actor: Actor

    def has_any(self, scopes: tuple[str, ...]) -> bool:
        return not scopes or not self.scopes.isdisjoint(scopes)

    def admits_agent(self, agent_id: str) -> bool:
        return not self.agent or glob_matches(self.agent, agent_id)


class AccessRequest(HttpRequest):
    """A request of the API, once its authentication has answered."""

    auth: Access


def resolve_key(authorization: str) -> Access | None:
    """What a live key in this `Authorization` header opens, or None."""
    key = bearer(authorization)
    if key is None:
        return None
    digest = digest_of(key)
    kept = _cache.get(digest)
    if kept is not None and kept[0] > _monotonic():
        return kept[1]
    row = (
        ApiKey.objects.select_related("project", "environment")
        .filter(digest=digest)
        .filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
        .first()
    )
    if row is None:
        _cache.pop(digest, None)
        return None
    _note_use(row)
    access = _access_of_key(row)
    if len(_cache) >= CACHE_ENTRIES:
        _cache.clear()
    _cache[digest] = (_monotonic() + CACHE_SECONDS, access)
    return access


def forget_keys() -> None:
    """Make this process ask the database again, whatever it was told a moment ago."""
    _cache.clear()


def _access_of_key(row: ApiKey) -> Access:
    scopes = with_implied(frozenset(row.scopes))
    return Access(
        project_id=row.project_id,
        project_slug=row.project.slug,
        environment_id=row.environment_id,
        environment=row.environment.name,
        scopes=scopes,
        agent=row.agent,
        assigned_only=row.assigned_only,
        dialect=row.dialect,
        actor=Actor(ActorKind.KEY, row.pk, row.name, policies.role_of_key(scopes)),
    )


def _note_use(row: ApiKey) -> None:
    now = timezone.now()
    if row.last_used_at is not None and row.last_used_at > now - LAST_USED_EVERY:
        return
    try:
        ApiKey.objects.filter(pk=row.pk).update(last_used_at=now)
    except DatabaseError:  # a read-only or busy database is no reason to refuse an agent
        logger.warning("The last use of a key could not be noted", exc_info=True)


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
        actor=person(member.user_id, member.user.email, role),
    )


class KeyAuth(AuthBase):
    """An API key with any of these scopes; without scopes named, any key."""

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __init__(self, *any_of: str) -> None:
        self.any_of = any_of
        super().__init__()

    def __call__(self, request: HttpRequest) -> Access:
        access = resolve_key(request.headers.get("Authorization", ""))
        if access is None:
            raise Unauthenticated("A valid API key is needed: Authorization: Bearer edk_…")
        self.refuse(access)
        agent = request.headers.get(AGENT_HEADER, "")
        if agent and not access.admits_agent(agent):
            raise Forbidden(f"This key is not for the agent {agent}.", code="agent")
        return access

    def refuse(self, access: Access) -> None:
        if not access.has_any(self.any_of):
            raise Forbidden(f"This takes a key with {' or '.join(self.any_of)}.", code="scope")


class KeyOrMember(KeyAuth):
    """The management family: a key, or a member's browser, which must bring its CSRF token.

    `action` is asked of the policies instead of a scope; the same answer for key and person.
    """

    def __init__(self, *any_of: str, action: Action | None = None) -> None:
        self.action = action
        super().__init__(*any_of)

    def __call__(self, request: HttpRequest) -> Access:
        user = None if "Authorization" in request.headers else getattr(request, "user", None)
        if not isinstance(user, User):
            return super().__call__(request)
        if check_csrf(request):
            raise Forbidden("The form has expired; load the page again.", code="csrf")
        access = access_of_member(_member(request, user))
        self.refuse(access)
        return access

    def refuse(self, access: Access) -> None:
        super().refuse(access)
        if self.action is not None:
            policies.refuse_unless(access.actor, self.action)


def _member(request: HttpRequest, user: User) -> Member:
    """The membership meant: of the project named, else of the last used, else of the only one."""
    named = request.GET.get("project")
    members = list(Member.objects.select_related("project", "user").filter(user=user))
    wanted = named or request.session.get(LAST_PROJECT)
    for member in members:
        if member.project.slug == wanted:
            return member
    if named or not members:
        raise NotFound("There is no such project.")
    if len(members) > 1:
        raise NotFound("Name the project: ?project=<its slug>.", code="project")
    return members[0]


__all__ = [
    "AGENT_HEADER",
    "LAST_PROJECT",
    "Access",
    "AccessRequest",
    "KeyAuth",
    "KeyOrMember",
    "Scope",
    "access_of_member",
    "forget_keys",
    "resolve_key",
]

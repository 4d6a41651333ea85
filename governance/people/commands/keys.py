"""API keys: create, show once, revoke."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor, shown
from governance.core.errors import InvalidInput, Problem
from governance.core.texts import is_storable
from governance.models import ApiKey, Project, User
from governance.people.commands.key_findings import forget_manage_key, note_keys_of
from governance.people.commands.requirements import environment_named
from governance.people.domain import (
    Scope,
    digest_of,
    environment_of,
    hint_of,
    network_of,
    new_key,
)
from governance.people.policies import Action, refuse_key_with, refuse_unless
from governance.people.queries.keys import live_keys_of

DIALECTS = ("", "old", "new")
MOST_NETWORKS = 100
LARGEST_LIMIT = 100_000_000


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """Limits of a key besides its scopes. None or an empty list means no limit."""

    networks: Sequence[str] = ()
    requests_per_minute: int | None = None
    items_per_minute: int | None = None


NO_LIMITS = KeyLimits()


def make_key(
    project: Project,
    *,
    name: str,
    env: str,
    scopes: Iterable[str],
    by: Actor,
    agent: str = "",
    assigned_only: bool = False,
    dialect: str = "",
    expires: datetime | None = None,
    limits: KeyLimits = NO_LIMITS,
) -> tuple[str, ApiKey]:
    """Create a key. Returns its text, which is not stored, and its row."""
    chosen = frozenset(scopes)
    refuse_key_with(by, chosen)
    _refuse_misfits(name=name, scopes=chosen, agent=agent, dialect=dialect, expires=expires)
    _refuse_longer_life(project, expires)
    limits = _valid(limits)
    text = new_key(env)
    with transaction.atomic():
        key = _save(
            project,
            text,
            env,
            name=name.strip(),
            scopes=chosen,
            by=by,
            agent=agent,
            assigned_only=assigned_only,
            dialect=dialect,
            expires_at=expiry_within(project, expires, timezone.now()),
            limits=limits,
        )
    return text, key


def keep_bootstrap_key(project: Project, text: str) -> str:
    """Store the operator's key at the first start; later, return a warning if it differs."""
    env = environment_of(text)
    if env is None:
        raise InvalidInput(
            "EDICTUM_SITE_BOOTSTRAP_KEY must be edk_<environment>_<random>, "
            "with a random part of at least 32 letters and digits."
        )
    if ApiKey.objects.filter(digest=digest_of(text)).exists():
        return ""
    if ApiKey.objects.filter(project=project).exists():
        return "EDICTUM_SITE_BOOTSTRAP_KEY differs from the first start's and is not used."
    with transaction.atomic():
        _save(project, text, env, name="bootstrap", scopes=frozenset(Scope), by=CONSOLE)
    return ""


@transaction.atomic
def limit_key(key: ApiKey, limits: KeyLimits, *, by: Actor) -> ApiKey:
    """Change the networks and limits of a key. Takes effect within a second."""
    refuse_unless(by, Action.MANAGE_KEYS)
    columns = _columns(_valid(limits))
    before = {name: getattr(key, name) for name in columns}
    if before == columns:
        return key
    for name, value in columns.items():
        setattr(key, name, value)
    key.save(update_fields=list(columns))
    details: dict[str, Detail] = {"was": before, "now": columns}
    record(by, "key limits changed", subject_of(key), project=key.project, details=details)
    return key


@transaction.atomic
def revoke_key(key: ApiKey, *, by: Actor) -> ApiKey:
    """Revoke a key; revoking it again changes nothing."""
    refuse_unless(by, Action.MANAGE_KEYS)
    now = timezone.now()
    if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
        key.revoked_at = now
        record(by, "key revoked", subject_of(key), project=key.project)
        forget_manage_key(key.project_id, key_id=key.pk, name=key.name)
        if key.maker is not None:
            note_keys_of(key.maker, key.project)
    return key


def revoke_keys_of(maker: User, project: Project, *, by: Actor) -> None:
    """Revoke the keys that a person created."""
    for key in live_keys_of(maker, project):
        revoke_key(key, by=by)


def _save(
    project: Project,
    text: str,
    env: str,
    *,
    name: str,
    scopes: frozenset[str],
    by: Actor,
    agent: str = "",
    assigned_only: bool = False,
    dialect: str = "",
    expires_at: datetime | None = None,
    limits: KeyLimits = NO_LIMITS,
) -> ApiKey:
    key = ApiKey.objects.create(
        project=project,
        environment=environment_named(project, env),
        name=name,
        hint=hint_of(text),
        digest=digest_of(text),
        scopes=[scope.value for scope in Scope if scope in scopes],
        agent=agent,
        assigned_only=assigned_only,
        dialect=dialect,
        created_by=shown(str(by))[:254],
        maker_id=by.person_id,
        expires_at=expires_at,
        **_columns(limits),
    )
    record(
        by,
        "key created",
        subject_of(key),
        project=project,
        details={
            "environment": env,
            "scopes": list(key.scopes),
            "agent": agent,
            "assigned_only": assigned_only,
            "dialect": dialect,
            "expires": expires_at.isoformat() if expires_at else None,
            **_columns(limits),
        },
    )
    return key


def expiry_within(project: Project, expires: datetime | None, now: datetime) -> datetime | None:
    """Expiry, capped at the latest one that the project allows."""
    if project.max_key_days is None:
        return expires
    latest = now + timedelta(days=project.max_key_days)
    return min(expires, latest) if expires else latest


def _refuse_longer_life(project: Project, expires: datetime | None) -> None:
    if expires is not None and expiry_within(project, expires, timezone.now()) != expires:
        message = f"Keys of this project expire after at most {project.max_key_days} days."
        raise InvalidInput.at("expires", message)


def _columns(limits: KeyLimits) -> dict[str, Any]:
    return asdict(limits) | {"networks": list(limits.networks)}


def _valid(limits: KeyLimits) -> KeyLimits:
    """Validated limits, with networks in CIDR form."""
    if len(limits.networks) > MOST_NETWORKS:
        raise InvalidInput.at("networks", f"Use at most {MOST_NETWORKS} networks.")
    networks = []
    for text in limits.networks:
        try:
            networks.append(network_of(text))
        except ValueError:
            message = f"{text[:80]!r} is not a network. Use CIDR form, such as 10.0.0.0/8."
            raise InvalidInput.at("networks", message) from None
    for name in ("requests_per_minute", "items_per_minute"):
        limit = getattr(limits, name)
        if limit is not None and not 1 <= limit <= LARGEST_LIMIT:
            raise InvalidInput.at(name, f"Enter a limit from 1 to {LARGEST_LIMIT:,} per minute.")
    return replace(limits, networks=networks)


def subject_of(key: ApiKey) -> str:
    return f"{key.name} ({key.hint})"


def _refuse_misfits(
    *, name: str, scopes: frozenset[str], agent: str, dialect: str, expires: datetime | None
) -> None:
    problems = [
        Problem(path=path, message=message)
        for path, fits, message in (
            ("name", 0 < len(name.strip()) <= 128, "Enter a name of 1 to 128 characters."),
            ("name", is_storable(name), "A name may not contain NUL or a lone surrogate."),
            ("scopes", scopes, "A key needs at least one scope."),
            (
                "scopes",
                scopes <= frozenset(Scope),
                f"The scopes are {', '.join(Scope)}.",
            ),
            ("agent", len(agent) <= 128, "Use at most 128 characters."),
            ("agent", is_storable(agent), "A glob may not contain NUL or a lone surrogate."),
            ("dialect", dialect in DIALECTS, "Use the format old or new."),
            ("expires", expires is None or expires > timezone.now(), "This expiry is in the past."),
        )
        if not fits
    ]
    if problems:
        raise InvalidInput(problems[0].message, errors=problems)

"""API keys: made once, shown once, revoked for ever."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import CONSOLE, Actor, shown
from governance.core.errors import InvalidInput, Problem
from governance.core.texts import can_be_kept
from governance.models import ApiKey, Project, User
from governance.people.commands.environments import environment_named
from governance.people.commands.key_findings import forget_manage_key, note_keys_of
from governance.people.domain import Scope, digest_of, environment_of, hint_of, new_key
from governance.people.policies import Action, refuse_key_with, refuse_unless
from governance.people.queries.keys import live_keys_of

DIALECTS = ("", "old", "new")


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
) -> tuple[str, ApiKey]:
    """The key's text, which is told only here, and its row."""
    wanted = frozenset(scopes)
    refuse_key_with(by, wanted)
    _refuse_misfits(name=name, scopes=wanted, agent=agent, dialect=dialect, expires=expires)
    text = new_key(env)
    with transaction.atomic():
        key = _save(
            project,
            text,
            env,
            name=name.strip(),
            scopes=wanted,
            by=by,
            agent=agent,
            assigned_only=assigned_only,
            dialect=dialect,
            expires_at=expires,
        )
    return text, key


def keep_bootstrap_key(project: Project, text: str) -> str:
    """Keep the key that the operator chose, at the first start; later only say when it differs."""
    env = environment_of(text)
    if env is None:
        raise InvalidInput(
            "EDICTUM_SITE_BOOTSTRAP_KEY must read edk_<environment>_<random>, "
            "the random part at least 32 letters and digits."
        )
    if ApiKey.objects.filter(digest=digest_of(text)).exists():
        return ""
    if ApiKey.objects.filter(project=project).exists():
        return "EDICTUM_SITE_BOOTSTRAP_KEY differs from the first start's and is not used."
    with transaction.atomic():
        _save(project, text, env, name="bootstrap", scopes=frozenset(Scope), by=CONSOLE)
    return ""


@transaction.atomic
def revoke_key(key: ApiKey, *, by: Actor) -> ApiKey:
    """End the key; the present state again when it was ended before."""
    refuse_unless(by, Action.MANAGE_KEYS)
    now = timezone.now()
    if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
        key.revoked_at = now
        record(by, "key revoked", _subject(key), project=key.project)
        forget_manage_key(key.project_id, key_id=key.pk, name=key.name)
        if key.maker is not None:
            note_keys_of(key.maker, key.project)
    return key


def revoke_keys_of(maker: User, project: Project, *, by: Actor) -> None:
    """What a person made ends with them."""
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
    )
    record(
        by,
        "key made",
        _subject(key),
        project=project,
        details={
            "environment": env,
            "scopes": list(key.scopes),
            "agent": agent,
            "assigned_only": assigned_only,
            "dialect": dialect,
            "expires": expires_at.isoformat() if expires_at else None,
        },
    )
    return key


def _subject(key: ApiKey) -> str:
    return f"{key.name} ({key.hint})"


def _refuse_misfits(
    *, name: str, scopes: frozenset[str], agent: str, dialect: str, expires: datetime | None
) -> None:
    found = [
        Problem(path=path, message=message)
        for path, fits, message in (
            ("name", 0 < len(name.strip()) <= 128, "A key's name has 1 to 128 characters."),
            ("name", can_be_kept(name), "This name holds NUL or half a character."),
            ("scopes", scopes, "A key has at least one scope."),
            (
                "scopes",
                scopes <= frozenset(Scope),
                f"The scopes are {', '.join(Scope)}.",
            ),
            ("agent", len(agent) <= 128, "The glob of an agent has at most 128 characters."),
            ("agent", can_be_kept(agent), "This glob holds NUL or half a character."),
            ("dialect", dialect in DIALECTS, "The dialect is old or new."),
            ("expires", expires is None or expires > timezone.now(), "This time has passed."),
        )
        if not fits
    ]
    if found:
        raise InvalidInput(found[0].message, errors=found)

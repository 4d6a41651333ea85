"""Access of agent-bound API keys to sessions in the session store.

Such a key may use sessions that it started, or that contain calls of its agents. A stored key
outside any session counts as a session of its own. Keys without a binding are never checked; most
checks of other keys are answered from a cache.
"""

import time
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from governance.core.errors import Forbidden
from governance.people.auth import Access
from outcomes.models import Call, Event, Session, SessionOwner, StoredValue
from outcomes.record.codec import digest_of
from outcomes.session_store.domain import session_of
from outcomes.session_store.queries import digest_of_key

KNOWN_FOR = 10.0  # seconds
MOST_KNOWN = 20_000
SHOWN = 300  # characters of a key in an error message

_monotonic = time.monotonic
_known: dict[tuple[int | None, str, str], float] = {}


def is_known_owner(keys: Iterable[str], access: Access) -> bool:
    """Whether this process recently confirmed that the key may use the sessions of these keys."""
    return all(_is_known(_session_of(key), access) for key in keys)


def refuse_foreign_sessions(keys: Iterable[str], access: Access, *, begins: bool = False) -> None:
    """Reject keys of other agents' sessions. With `begins`, for writes, claim unused sessions."""
    if not access.agent:
        return
    for key in keys:
        if not _may_use(_session_of(key), access, begins=begins):
            raise Forbidden(
                f"This key is bound to the agents {access.agent}. {key[:SHOWN]!r} belongs to"
                " none of their sessions.",
                code="foreign_session",
            )


def forget_owners() -> None:
    """Clear the cache, so that this process queries the database again."""
    _known.clear()


def _session_of(key: str) -> str:
    return session_of(key) or key


def _may_use(session: str, access: Access, *, begins: bool) -> bool:
    if _is_known(session, access):
        return True
    if _owns(session, access):
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[access.environment_id, access.agent, session] = _monotonic() + KNOWN_FOR
        return True
    return _is_unused(session, access) and (not begins or _begin(session, access))


def _is_known(session: str, access: Access) -> bool:
    known_until = _known.get((access.environment_id, access.agent, session), 0.0)
    return known_until > _monotonic()


def _owns(session: str, access: Access) -> bool:
    owner = _owner(session, access)
    if owner == access.agent:
        _note_use(session, access)
        return True
    agents = _agents_in(session, access)
    own = {agent for agent in agents if access.admits_agent(agent)}
    if not own:
        return False
    # A call that this key itself reported into another's session must not give it access.
    return (own == agents and owner is None) or _is_reported_without_binding(session, access, own)


def _is_unused(session: str, access: Access) -> bool:
    if _owner(session, access) is not None or _agents_in(session, access):
        return False
    values = StoredValue.objects.filter(environment=access.environment_id)
    is_there = Q(session=digest_of(session)) | Q(digest=digest_of_key(session))
    return not values.filter(is_there).exists()


@transaction.atomic
def _begin(session: str, access: Access) -> bool:
    """Record the owner of a session. If two keys start it at once, the first wins."""
    if access.environment_id is None:  # only members' access has no environment
        return False
    row = SessionOwner(
        environment_id=access.environment_id,
        session=digest_of(session),
        bound_to=access.agent,
        used_on=datetime.now(UTC).date(),
    )
    SessionOwner.objects.bulk_create([row], ignore_conflicts=True)
    return _owner(session, access) == access.agent


def _owner(session: str, access: Access) -> str | None:
    """Binding of the key that started the session. None if it had no binding, or none did."""
    return _owners(session, access).values_list("bound_to", flat=True).first()


def _note_use(session: str, access: Access) -> None:
    """Update the last use once a day, so that the owner lives as long as its keys."""
    today = datetime.now(UTC).date()
    if _owners(session, access).filter(used_on__lt=today).exists():
        _owners(session, access).update(used_on=today)


def _owners(session: str, access: Access) -> QuerySet[SessionOwner]:
    return SessionOwner.objects.filter(
        environment=access.environment_id, session=digest_of(session)
    )


def _agents_in(session: str, access: Access) -> set[str]:
    rows = Session.objects.filter(environment=access.environment_id, digest=digest_of(session))
    calls = Call.objects.filter(session__in=rows.values("pk"))
    return set(calls.order_by().values_list("agent__name", flat=True).distinct())


def _is_reported_without_binding(session: str, access: Access, agents: Collection[str]) -> bool:
    """Whether a key without a binding has reported a call of these agents in the session."""
    rows = Session.objects.filter(environment=access.environment_id, digest=digest_of(session))
    calls = Call.objects.filter(session__in=rows.values("pk"), agent__name__in=agents)
    events = Event.objects.filter(
        environment=access.environment_id,
        call_digest__in=calls.values("digest"),
        agent__name__in=agents,
        bound_to="",
    )
    return events.exists()

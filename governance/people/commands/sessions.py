"""Record the last use of browser sessions, and end sessions."""

import logging
import time
from typing import Final

from allauth.usersessions.models import UserSession
from django.db import DatabaseError, transaction
from django.utils import timezone

from governance.core.actor import Actor
from governance.models import User
from governance.people.commands.accounts import administered
from governance.people.commands.sign_ins import record_in_projects

logger = logging.getLogger(__name__)

NOTED_EVERY: Final = 300.0  # seconds
REMEMBERED: Final = 4_096
_monotonic = time.monotonic
_noted: dict[str, float] = {}


def note_session(key: str, *, address: str) -> None:
    """Record that a session is in use. Each process stores this at most every five minutes."""
    if _noted.get(key, 0.0) > _monotonic():
        return
    just_noted(key)
    try:
        UserSession.objects.filter(session_key=key).update(
            last_seen_at=timezone.now(), ip=address or "127.0.0.1"
        )
    except DatabaseError:  # show pages even if the database is read-only or busy
        logger.warning("Could not store the use of a session", exc_info=True)


def just_noted(key: str) -> None:
    """Skip writes for a while: the last use was just stored, for example by a sign-in."""
    if len(_noted) >= REMEMBERED:
        _noted.clear()
    _noted[key] = _monotonic() + NOTED_EVERY


@transaction.atomic
def end_sessions(user: User, *, ids: list[int], by: Actor | None = None) -> int:
    """End some of a person's sessions. Another actor must be an admin of all their projects."""
    if by is not None:
        administered(user, by)
    sessions = list(UserSession.objects.filter(user=user, pk__in=ids))
    for session in sessions:
        session.end()
    if sessions:
        details = {"sessions": len(sessions)}
        record_in_projects(user, "sessions ended", details=details, by=by)
    return len(sessions)

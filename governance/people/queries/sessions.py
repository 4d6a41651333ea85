"""Browser sessions of a person that are still open."""

from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from governance.models import User


@dataclass(frozen=True, slots=True)
class OpenSession:
    id: int
    address: str
    browser: str
    started_at: datetime
    used_at: datetime
    is_current: bool


def open_sessions(user: User, current: str = "") -> list[OpenSession]:
    """Open sessions, last used first. `current` is the reader's own session key."""
    keys = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    rows = UserSession.objects.filter(user=user, session_key__in=keys).order_by("-last_seen_at")
    return [
        OpenSession(
            row.pk,
            row.ip,
            row.user_agent,
            row.created_at,
            row.last_seen_at,
            row.session_key == current,
        )
        for row in rows
    ]

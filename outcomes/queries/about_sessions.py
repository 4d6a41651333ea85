"""What is known of a session beside its calls: parents, children, notes, others to compare with."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from outcomes.models import ChildSession, Session, SessionNote
from outcomes.queries.session_reports import sessions

CHILDREN: Final = 50
OTHERS: Final = 20


@dataclass(frozen=True, slots=True)
class Family:
    parents: list[str]  # session ids
    children: list[Session]
    more_children: bool


def family_of(session: Session) -> Family:
    """In its environment. A session may name itself: that says nothing."""
    digest = bytes(session.digest)
    rows = (
        ChildSession.objects.filter(
            Q(session=session) | Q(environment=session.environment_id, parent_digest=digest)
        )
        .select_related("session__agent", "session__environment")
        .defer("session__tally")
        .order_by("-id")
    )
    others = [
        row
        for row in rows[: 2 * CHILDREN]
        if row.session != session or bytes(row.parent_digest) != digest
    ]
    children = [row.session for row in others if row.session != session and row.session.attempts]
    return Family(
        [row.parent for row in others if row.session == session],
        children[:CHILDREN],
        len(children) > CHILDREN,
    )


def notes_of(session: Session) -> list[SessionNote]:
    return list(SessionNote.objects.filter(session=session))


def sessions_beside(session: Session) -> list[Session]:
    """The newest others of its agent, to compare it with."""
    found = sessions(session.project_id).filter(agent=session.agent_id).exclude(pk=session.pk)
    return list(found.defer("tally")[:OTHERS])

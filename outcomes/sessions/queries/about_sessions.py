"""What is known of a session beside its calls: parents, children, notes, others to compare with,
and what those before it added up to."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Count, F, Q, Sum

from outcomes.models import ChildSession, Session, SessionNote
from outcomes.record.sessions import sessions

CHILDREN: Final = 50
OTHERS: Final = 20
BEFORE: Final = timedelta(days=7)
LOOKED_THROUGH: Final = 2_000  # sessions of all agents, the newest, for those of its own


@dataclass(frozen=True, slots=True)
class Family:
    parents: list[str]  # session ids
    children: list[Session]
    more_children: bool


@dataclass(frozen=True, slots=True)
class SessionsBefore:
    """Sums of the sessions of an agent that had ended when one of them began."""

    sessions: int
    calls: int
    successes: int
    failures: int
    wasted: int
    lasted: timedelta

    @property
    def judged(self) -> int:
        return self.successes + self.failures


def sessions_before(session: Session) -> SessionsBefore | None:
    """In its environment. Read from the index of lists alone."""
    if session.first_at is None:
        return None
    ended = Session.objects.filter(
        project=session.project_id,
        last_at__gte=session.first_at - BEFORE,
        last_at__lt=session.first_at,
    )
    newest = ended.order_by("-last_at", "-id").values(
        "environment", "agent", "attempts", "successes", "failures", "waste", "first_at", "last_at"
    )
    alike = Q(environment=session.environment_id, agent=session.agent_id)
    sums = {
        "calls": F("attempts"),
        "successes": F("successes"),
        "failures": F("failures"),
        "wasted": F("waste"),
        "lasted": F("last_at") - F("first_at"),
    }
    found = newest[:LOOKED_THROUGH].aggregate(
        all=Count("last_at", filter=alike),
        **{f"all_{name}": Sum(by, filter=alike) for name, by in sums.items()},
    )
    if not found["all"]:
        return None
    return SessionsBefore(found["all"], **{name: found[f"all_{name}"] for name in sums})


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

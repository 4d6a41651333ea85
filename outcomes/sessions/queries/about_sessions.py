"""Facts around a session: parents, children, notes, sessions to compare with, and figures of the
sessions before it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Count, F, Q, Sum

from outcomes.models import ChildSession, Session, SessionNote
from outcomes.stored.queries import sessions

CHILDREN: Final = 50
OTHERS: Final = 20
BEFORE: Final = timedelta(days=7)
MOST_BEFORE: Final = 2_000  # sessions of all agents, the newest, for those of its own


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
    """Figures of its agent's earlier sessions in this environment, read from the index of lists
    alone."""
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
    same_agent = Q(environment=session.environment_id, agent=session.agent_id)
    sums = {
        "calls": F("attempts"),
        "successes": F("successes"),
        "failures": F("failures"),
        "wasted": F("waste"),
        "lasted": F("last_at") - F("first_at"),
    }
    totals = newest[:MOST_BEFORE].aggregate(
        all=Count("last_at", filter=same_agent),
        **{f"all_{name}": Sum(by, filter=same_agent) for name, by in sums.items()},
    )
    if not totals["all"]:
        return None
    return SessionsBefore(totals["all"], **{name: totals[f"all_{name}"] for name in sums})


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


def sessions_to_compare(session: Session) -> list[Session]:
    """Newest other sessions of its agent."""
    others = sessions(session.project_id).filter(agent=session.agent_id).exclude(pk=session.pk)
    return list(others.defer("tally")[:OTHERS])

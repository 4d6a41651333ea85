"""How a session stands: its counts, limits and denials, as plain values."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from governance.contracts.domain.limit_use import LimitUse
from governance.contracts.queries.governing import Governing
from outcomes.models import Session
from outcomes.record.codec import as_text, digest_of
from outcomes.sessions.queries.readings import calls_of, read_anew, standing_of


@dataclass(frozen=True, slots=True)
class SessionReport:
    session: Session
    counts: dict[str, Any]
    denials: dict[str, int]
    limits: list[LimitUse]


def sessions(
    project_id: int, *, environment: str = "", agent: str = "", text: str = ""
) -> QuerySet[Session]:
    """The sessions of a project that have calls, the one seen last first."""
    found = (
        Session.objects.filter(project=project_id, attempts__gt=0)
        .select_related("agent", "environment", "version__bundle")
        .defer("version__document", "version__session_rules")  # half a megabyte in each row
        .order_by("-last_at", "-id")
    )
    if environment:
        found = found.filter(environment__name=as_text(environment))
    if agent:
        found = found.filter(agent__digest=digest_of(agent))
    if text:
        text = as_text(text)
        found = found.filter(Q(session_id__icontains=text) | Q(agent__name__icontains=text))
    return found


def session_named(project_id: int, session_id: str, environment: str = "") -> Session | None:
    """The session seen last under that id; ids are one's own in each environment."""
    found = sessions(project_id, environment=environment).defer(None).defer("version__document")
    return found.filter(digest=digest_of(session_id)).first()


def report_of(session: Session, governing: Governing) -> SessionReport:
    standing = standing_of(session, governing)
    if standing is None:
        standing = read_anew(calls_of([session.pk])[session.pk], governing)
    tally = standing.tally
    return SessionReport(session, tally.counts(), tally.denials, tally.limits())

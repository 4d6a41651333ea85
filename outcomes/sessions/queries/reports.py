"""How a session stands: its counts, limits and denials, as plain values."""

from dataclasses import dataclass
from typing import Any

from governance.contracts.domain.limit_use import LimitUse
from governance.delivery.queries.governing import Governing
from outcomes.models import Session
from outcomes.sessions.queries.readings import calls_of, read_anew, standing_of


@dataclass(frozen=True, slots=True)
class SessionReport:
    session: Session
    counts: dict[str, Any]
    denials: dict[str, int]
    limits: list[LimitUse]


def report_of(session: Session, governing: Governing) -> SessionReport:
    standing = standing_of(session, governing)
    if standing is None:
        standing = read_anew(calls_of([session.pk])[session.pk], governing)
    tally = standing.tally
    return SessionReport(session, tally.counts(), tally.denials, tally.limits())

"""How a session stands: running, waiting, stopped or ended, and what its sentences are made of."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from governance.people.auth import MemberRequest
from outcomes.approvals.views import session_approvals
from outcomes.models import Session
from outcomes.sessions.domain.limit_lines import before_stop
from outcomes.sessions.domain.overview import Results
from outcomes.sessions.queries import states
from outcomes.sessions.queries.matching import Asking
from outcomes.sessions.queries.page import SessionPage
from outcomes.sessions.words import sentences


def state_of(request: MemberRequest, session: Session) -> str:
    return state_with(session, session_approvals(request, session))


def state_with(session: Session, waiting: Mapping[str, Any]) -> str:
    """With the approvals that wait in it, where they are known."""
    asking = Asking(found={session.pk} if waiting["lines"] else ())
    return states.state_of(session, timezone.now(), asking)


def session_summary(page: SessionPage, state: str) -> sentences.SessionSummary:
    """As much of a session as its sentences need."""
    session, overview, limits = page.session, page.overview, page.report.limits
    stop = sentences.first_stop(limits)
    return sentences.SessionSummary(
        state=state,
        calls=session.attempts,
        results=Results(session.executions, session.successes, session.failures, session.unknown),
        denied=session.denied,
        open=session.open,
        missed=overview.missed,
        limits=limits,
        before_stop=before_stop(page.calls, stop, first=overview.first) if stop else None,
    )

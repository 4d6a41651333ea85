"""How a session stands: running, waiting, stopped or ended, and what its sentences are made of."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from governance.people.auth import MemberRequest
from outcomes.approvals.views import session_approvals
from outcomes.models import Session
from outcomes.record.outcome import ToolDenied
from outcomes.sessions.domain.causes import LIMIT, denial_loops, failure_groups, stuck_in
from outcomes.sessions.domain.limit_lines import counted_before_stop, results_of
from outcomes.sessions.domain.overview import Results
from outcomes.sessions.queries import states
from outcomes.sessions.queries.matching import Asking
from outcomes.sessions.queries.page import SessionPage
from outcomes.sessions.words import sentences
from outcomes.sessions.words.causes import named_failures
from outcomes.web.paging import hash_of

DENIED = ToolDenied.kind
GROUPS_NAMED = 50  # of failures


def state_of(request: MemberRequest, session: Session) -> str:
    return state_with(session, session_approvals(request, session))


def state_with(session: Session, waiting: Mapping[str, Any]) -> str:
    """With the approvals that wait in it, where they are known."""
    asking = Asking(ids={session.pk} if waiting["lines"] else ())
    return states.state_of(session, timezone.now(), asking)


def session_summary(page: SessionPage, state: str) -> sentences.SessionSummary:
    """As much of a session as its sentences need."""
    session, overview, limits = page.session, page.overview, page.report.limits
    stop = sentences.first_stop(limits)
    counted = counted_before_stop(page.calls, stop, first=overview.first) if stop else None
    groups = failure_groups(page.calls if counted is None else counted)[:GROUPS_NAMED]
    return sentences.SessionSummary(
        name=session.session_id,
        state=state,
        calls=session.attempts,
        results=Results(session.executions, session.successes, session.failures, session.unknown),
        checked=overview.checked,
        denied=session.denied,
        denied_by=_only_rule(page),
        denied_by_limit=page.report.denials.get(LIMIT, 0),
        open=session.open,
        missed=overview.missed,
        limits=limits,
        loop=stuck_in(denial_loops(page.calls, first=overview.first)),
        failures=named_failures(groups),
        before_stop=None if counted is None else results_of(counted),
    )


def _only_rule(page: SessionPage) -> str:
    """The rule behind every denial; empty where there are several, or some were not read."""
    rules = {call.rule for call in page.calls if call.kind == DENIED}
    return rules.pop() if len(rules) == 1 and page.is_complete else ""


def session_tag(session: Session, state: str) -> str:
    return hash_of(in_list(session), session.tally, state)


def in_list(session: Session) -> tuple[object, ...]:
    """Fields that a row of the list shows; counts by tool and by reason are not loaded for it."""
    return (
        session.pk, session.first_at, session.last_at, session.version_id, session.agent_id,
        session.attempts, session.successes, session.failures, session.unknown, session.denied,
        session.open, session.disagreements, session.artifacts, session.stopped,
        session.limit_name, session.waste,
    )  # fmt: skip

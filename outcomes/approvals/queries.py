"""Context for a decision: earlier approvals of the same kind, and the session so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from governance.approvals.domain import Amount, amount_of, names_in
from governance.approvals.queries import Approval, approved_before
from outcomes.models import Call, Session
from outcomes.record.codec import digest_of

EARLIER_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Earlier:
    """Approved requests for the same tool with a name in common, newest first."""

    names: list[str]  # names they share; empty if no argument of the call is a name
    approvals: list[tuple[Approval, Amount | None]]
    repeated: Approval | None  # the newest one with the same amount


@dataclass(frozen=True, slots=True)
class SoFar:
    """Figures of a session up to now."""

    session_id: str
    environment: str
    calls: int
    succeeded: int
    failed: int
    denied: int
    lasted: timedelta
    approved: int  # requests for the same tool in this session
    amounts: list[Amount]  # of these requests


@dataclass(frozen=True, slots=True)
class Context:
    earlier: Earlier
    so_far: SoFar | None


def contexts_of(
    project_id: int,
    approvals: Sequence[Approval],
    calls: dict[int, Call],
    now: datetime,
    session: Session | None = None,
) -> dict[int, Context]:
    """Contexts by approval key. Two queries; one if the session is given."""
    before = approved_before(project_id, approvals, now)
    sessions = {} if session else _sessions(project_id, approvals, calls)
    if session:
        sessions[session.environment_id, session.session_id] = session
    return {
        each.pk: _context(each, before, _session_of(each, calls, sessions)) for each in approvals
    }


def _context(approval: Approval, before: list[Approval], session: Session | None) -> Context:
    such = [
        each
        for each in before
        if each.environment_id == approval.environment_id and each.tool_name == approval.tool_name
    ]
    in_session = [each for each in such if session and each.session_id == session.session_id]
    return Context(_earlier(approval, such), _so_far(session, in_session) if session else None)


def _earlier(approval: Approval, such: list[Approval]) -> Earlier:
    names = names_in(approval.shown_arguments())
    amount = amount_of(approval.shown_arguments())
    shared: list[str] = []
    same: list[tuple[Approval, Amount | None]] = []
    for each in such:
        theirs = names_in(each.shown_arguments())
        common = [value for name, value in names.items() if theirs.get(name) == value]
        if common or not names:
            same.append((each, amount_of(each.shown_arguments())))
            shared += [value for value in common if value not in shared]
    repeated = next((each for each, theirs in same if amount and theirs == amount), None)
    return Earlier(shared or list(names.values())[:1], same, repeated)


def _so_far(session: Session, approved: list[Approval]) -> SoFar:
    amounts = (amount_of(each.shown_arguments()) for each in approved)
    return SoFar(
        session_id=session.session_id,
        environment=session.environment.name,
        calls=session.attempts,
        succeeded=session.successes,
        failed=session.failures,
        denied=session.denied,
        lasted=session.lasted or timedelta(),
        approved=len(approved),
        amounts=[each for each in amounts if each is not None],
    )


def _sessions(
    project_id: int, approvals: Sequence[Approval], calls: dict[int, Call]
) -> dict[tuple[int, str], Session]:
    """Sessions of these approvals or, if they name none, of their calls, by environment and id."""
    named = Q()
    for each in approvals:
        if each.session_id:
            named |= Q(environment=each.environment_id, digest=digest_of(each.session_id))
    ids = {call.session_id for call in calls.values() if call.session_id}
    if ids:
        named |= Q(pk__in=ids)
    if not named:
        return {}
    rows = Session.objects.filter(named, project=project_id, attempts__gt=0)
    rows = rows.select_related("environment").defer("tally")
    return {(row.environment_id, row.session_id): row for row in rows}


def _session_of(
    approval: Approval, calls: dict[int, Call], sessions: dict[tuple[int, str], Session]
) -> Session | None:
    call = calls.get(approval.pk)
    named = approval.session_id or (call.session.session_id if call and call.session else "")
    return sessions.get((approval.environment_id, named)) if named else None

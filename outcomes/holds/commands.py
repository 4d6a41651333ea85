"""Placing and lifting legal holds."""

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, queue_at, record
from governance.core.actor import Actor
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.models import Project
from governance.people.policies import Action, refuse_unless
from outcomes.models import Hold, RetentionMark, Session, SessionRemoval
from outcomes.search.domain.language import QueryError, parse

MOST_QUERIES = 20
LONGEST_REASON = 200


@transaction.atomic
def hold_session(session: Session, *, reason: str, by: Actor) -> Hold:
    """Keep all of a session, regardless of retention rules, until the hold is lifted."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    queue_at(session.project)
    # A removal locks the row first, so it has either finished or will see this hold.
    row = Session.objects.select_for_update().filter(pk=session.pk, attempts__gt=0).first()
    if row is None or SessionRemoval.objects.filter(session=row).exists():
        raise NotFound("Session not found.")
    if Hold.objects.filter(session=row).exists():
        raise Conflict("This session is already on hold.")
    hold = _create(session.project, by, reason, session=row)
    details: dict[str, Detail] = {"environment": session.environment.name, "reason": hold.reason}
    subject = session.session_id
    record(by, "legal hold placed", subject, project=session.project, details=details)
    return hold


@transaction.atomic
def hold_query(project: Project, *, query: str, reason: str, by: Actor) -> Hold:
    """Keep every call that matches this search, and the sessions of these calls."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    queue_at(project)
    try:
        text = parse(query).text
    except QueryError as error:
        raise InvalidInput.at("query", f"{error}.") from error
    if not text:
        raise InvalidInput.at("query", "Enter a search, such as `tool:refund`.")
    queries = Hold.objects.filter(project=project, session=None)
    if queries.filter(query=text).exists():
        raise Conflict("A hold with this search already exists.")
    if queries.count() >= MOST_QUERIES:
        raise Conflict(f"A project has at most {MOST_QUERIES} holds by search. Lift one first.")
    hold = _create(project, by, reason, query=text)
    record(by, "legal hold placed", text, project=project, details={"reason": hold.reason})
    return hold


@transaction.atomic
def lift_hold(project: Project, number: int, *, by: Actor) -> None:
    """Lift a hold. The next retention run rescans the project and applies the rules again."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    queue_at(project)
    hold = Hold.objects.filter(project=project, pk=number).select_related("session").first()
    if hold is None:
        raise NotFound("Hold not found.")
    subject = hold.session.session_id if hold.session else hold.query
    hold.delete()
    marks = RetentionMark.objects.filter(environment__project=project)
    marks.update(payloads_to=0, notes_to=0)
    record(by, "legal hold lifted", subject, project=project)


def _create(
    project: Project, by: Actor, reason: str, *, session: Session | None = None, query: str = ""
) -> Hold:
    if len(reason) > LONGEST_REASON:
        raise InvalidInput.at("reason", f"Use at most {LONGEST_REASON} characters.")
    return Hold.objects.create(
        project=project,
        session=session,
        query=query,
        reason=reason.strip(),
        author=str(by)[:320],
        created_at=timezone.now(),
    )

"""Removal of a session: hidden immediately, then deleted in batches of calls.

Each batch and its rollup corrections are one transaction, so a process can stop at any point and
the next one continues. The session's row is deleted last. The audit log names the session by a
digest.
"""

import logging
from collections.abc import Sequence
from typing import Final

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.findings import resolve_beginning
from governance.people import policies
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.artifacts.commands.uses import note_artifacts
from outcomes.core import artifact_store
from outcomes.database import may_remove_artifacts
from outcomes.figures.commands.grouping import count, note_past
from outcomes.holds.queries import holds_now
from outcomes.ingest.queries.rejected_of import rejected_of
from outcomes.jobs.commands import SWEPT, Turn
from outcomes.jobs.retries import due, try_again_later
from outcomes.models import (
    AgentSeen,
    Artifact,
    Call,
    ChangedCall,
    ChildSession,
    Event,
    PastVerdict,
    RejectedItem,
    Rejudging,
    Session,
    SessionMark,
    SessionOwner,
    SessionRemoval,
    StoredValue,
)
from outcomes.record import codec
from outcomes.record.codec import CALL_COLUMNS, CallRow
from outcomes.search.commands.indexing import remove_calls
from outcomes.session_store.commands.session_store import LOWERED, subject_of
from outcomes.sessions.commands.days import sessions_go, write_sessions
from outcomes.sessions.commands.readings import COLUMNS, LEFT
from outcomes.stored import names

AT_ONCE: Final = 500  # calls

logger = logging.getLogger(__name__)


@transaction.atomic
def remove_session(session: Session, *, typed: str, by: Actor) -> int:
    """Hide the session, and return the id of the removal that deletes its calls in the
    background."""
    policies.refuse_unless(by, Action.DELETE_SESSION)
    if _as_typed(typed) != _as_typed(session.session_id):
        raise InvalidInput("Type the session ID exactly as shown.")
    row = Session.objects.select_for_update().filter(pk=session.pk, attempts__gt=0).first()
    if row is None:
        raise NotFound("Session not found.")
    if holds_now(row.project_id).held_sessions([row.pk]):
        raise Conflict("This session is on legal hold. Lift the hold to delete it.")
    now = timezone.now()
    removal, _ = SessionRemoval.objects.get_or_create(
        session=row, defaults={"asked_by": str(by)[:320], "requested_at": now}
    )
    details: dict[str, Detail] = {"environment": session.environment.name, "calls": row.attempts}
    record(by, "session deleted", _named(row), project=session.project, details=details)
    _hide(row)
    return removal.pk


def hide_past_session(row: Session) -> None:
    """Schedule a long session for removal in batches that keep its rollups; its row must be
    locked."""
    SessionRemoval.objects.create(
        session=row, asked_by=str(CONSOLE), requested_at=timezone.now(), keeps_sums=True
    )
    _hide(row)


def _hide(row: Session) -> None:
    write_sessions({row.pk: row}, COLUMNS, [(row.pk, *LEFT)])
    SessionMark.objects.filter(session=row).delete()


def waiting_removals() -> list[int]:
    due_now = SessionRemoval.objects.filter(due()).order_by("pk")
    return list(due_now.values_list("pk", flat=True)[:SWEPT])


def run_removal(number: int) -> bool:
    """Run a removal for one turn; False if the turn ended before the work did. The next turn
    continues from there."""
    turn = Turn()
    removal = SessionRemoval.objects.filter(due(), pk=number)
    try:
        while removal.exists() and remove_some(number) is False:
            if turn.is_over():
                return False
    except (DatabaseError, OSError):
        logger.exception("Deleting a session failed and will be retried")
        try_again_later(SessionRemoval.objects.filter(pk=number))
    return True


@transaction.atomic
def remove_some(number: int, at_once: int = AT_ONCE) -> bool | None:
    """Remove a batch of calls, or the session once it has none: True when done, None if another
    process holds or finished the removal."""
    removals = SessionRemoval.objects.select_for_update(skip_locked=True, of=("self",))
    removal = removals.select_related("session__environment").filter(pk=number).first()
    if removal is None:
        return None
    calls = Call.objects.select_for_update().filter(session=removal.session_id)
    ordered = calls.order_by("environment", "digest").values_list(*CALL_COLUMNS)
    rows = [codec.call_row_of(values) for values in ordered[:at_once]]
    if not rows:
        return _end(removal)
    session = removal.session
    removal.events += _remove_calls(session, rows, keeps_sums=removal.keeps_sums)
    removal.calls += len(rows)
    removal.artifacts += remove_artifacts_left(
        session.project_id, sorted({row.artifact for row in rows if row.artifact is not None})
    )
    removal.save(update_fields=["events", "calls", "artifacts"])
    return False


def _remove_calls(session: Session, rows: Sequence[CallRow], *, keeps_sums: bool) -> int:
    """Remove calls with their events; returns the number of events."""
    ids = [row.id for row in rows]
    PastVerdict.objects.filter(call__in=ids).delete()
    ChangedCall.objects.filter(call__in=ids).delete()
    remove_calls(ids)
    events = Event.objects.filter(
        environment=session.environment_id, call_digest__in=[row.digest for row in rows]
    ).delete()[0]
    seen = list(AgentSeen.objects.filter(call__in=ids).values_list("pk", "agent"))
    Call.objects.filter(pk__in=ids)._raw_delete("default")
    note_artifacts(((row, None) for row in rows), {})
    for pk, agent in seen:
        newest = (
            Call.objects.filter(
                project=session.project_id, environment=session.environment_id, agent=agent
            )
            .exclude(session=session.pk)
            .order_by("-at", "-order")
            .values("id", "at")
            .first()
        ) or {"id": None, "at": None}
        AgentSeen.objects.filter(pk=pk).update(call=newest["id"], at=newest["at"])
    # Wait for a worker that is settling a call of this session before counting.
    Session.objects.select_for_update().get(pk=session.pk)
    if keeps_sums:
        note_past({row.group for row in rows if row.group is not None})
    else:
        count((row, None) for row in rows)
    return int(events)


def remove_artifacts_left(project: int, ids: Sequence[int]) -> int:
    """Remove those of the given artifacts that no call references any more. During a backup all
    are kept; the hourly task removes them later."""
    if not ids or not may_remove_artifacts():
        return 0
    referring = Call.objects.filter(artifact=OuterRef("pk"))
    nobodys = Artifact.objects.filter(~Exists(referring), pk__in=ids)
    gone = list(nobodys.select_for_update(skip_locked=True).order_by("sha256"))
    for artifact in gone:
        artifact_store.remove(project, artifact.sha256)
    Artifact.objects.filter(pk__in=[artifact.pk for artifact in gone]).delete()
    return len(gone)


def _end(removal: SessionRemoval) -> bool:
    """Remove the rest of a session without calls; False if a call has arrived in the meantime."""
    session = Session.objects.select_for_update().get(pk=removal.session_id)
    # A worker that settles a call of this session holds this row until the call is stored.
    if Call.objects.filter(session=session.pk).exists():
        return False
    environment, digest = session.environment, bytes(session.digest)
    counters = StoredValue.objects.filter(environment=environment, session=digest).delete()[0]
    SessionOwner.objects.filter(environment=environment, session=digest).delete()
    refused = rejected_of(environment.pk, session.session_id)
    RejectedItem.objects.filter(pk__in=refused).delete()
    ChildSession.objects.filter(environment=environment, parent_digest=digest).delete()
    _remove_jobs(session)
    beginning = subject_of(environment.name, f"s:{session.session_id}:")
    resolve_beginning(session.project_id, LOWERED, beginning)
    details: dict[str, Detail] = {
        "environment": environment.name,
        "calls": removal.calls,
        "events": removal.events,
        "artifacts": removal.artifacts,
        "counters": counters,
        "rejected_items": len(refused),
        "asked_by": removal.asked_by,
    }
    sessions_go([session])
    session.delete()
    names.forget()
    record(
        CONSOLE,
        "session removed",
        _named(session),
        project=project_numbered(session.project_id),
        details=details,
    )
    return True


def _remove_jobs(session: Session) -> None:
    """Remove reclassifications and check backtests of this session alone: they contain its id."""
    there = Q(environment=None) | Q(environment=session.environment_id)
    named = Rejudging.objects.filter(there, filters__session=session.session_id)
    named.filter(project=session.project_id).delete()


def _as_typed(text: str) -> str:
    """Text on one line, as an input field holds it, without surrounding whitespace."""
    return " ".join(text.split())


def _named(session: Session) -> str:
    """Digest that readers who know the session's id can match, and that reveals it to no one
    else."""
    return f"session {bytes(session.digest).hex()}"

"""Remove calls with their events; rollups are kept unchanged.

A session is removed as a whole when its last call is due, so that its row always matches the stored
calls. Calls without a session are removed one by one.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from outcomes.artifacts.commands.uses import note_artifacts
from outcomes.figures.commands.grouping import note_past
from outcomes.models import (
    AgentSeen,
    Call,
    ChangedCall,
    ChildSession,
    Event,
    PastVerdict,
    RetentionMark,
    Session,
    SessionMark,
    SessionRemoval,
    SuspectedCall,
)
from outcomes.record import codec
from outcomes.record.codec import CALL_COLUMNS
from outcomes.retention.commands.steps import (
    CALLS,
    EVENTS,
    Cursor,
    Place,
    Removed,
    Step,
    delete_rows,
)
from outcomes.retention.queries.sizes import call_bytes
from outcomes.search.commands.indexing import remove_calls
from outcomes.sessions.commands.days import sessions_go
from outcomes.sessions.commands.removal import hide_past_session
from outcomes.stored import names
from outcomes.stored.queries import read_events

SESSIONS: Final = 200  # per step
_SLIM: Final = ("id", "digest", "group", "session")


def remove_sessions(place: Place, after: Cursor | None) -> Step:
    """Remove some sessions whose last call is due, oldest first."""
    rows = list(_due_sessions(place, after)[:SESSIONS])
    if not rows:
        return Step(Removed(), None)
    some = _that_fit(rows)
    end: Cursor = [some[-1].last_at.isoformat(), some[-1].pk]  # type: ignore[union-attr]  # listed by it
    held = place.holds.held_sessions(session.pk for session in some)
    chosen = [session for session in some if session.pk not in held]
    if len(chosen) == 1 and chosen[0].attempts > CALLS:
        return Step(_remove_long_session(place, chosen[0].pk), end)
    return Step(_remove_sessions(place, [session.pk for session in chosen]), end)


def remove_lone_calls(place: Place, after: Cursor | None) -> Step:
    """Remove some calls without a session that are due, oldest first."""
    due = Call.objects.filter(project=place.project, session=None, at__lt=place.before)
    if after is not None:
        at, order = datetime.fromisoformat(str(after[0])), int(after[1])
        due = due.filter(Q(at__gt=at) | Q(at=at, order__gt=order), at__gte=at)
    rows = list(
        due.order_by("at", "order").values_list("at", "order", "id", "environment", "received_at")[
            :CALLS
        ]
    )
    if not rows:
        return Step(Removed(), None)
    end: Cursor = [rows[-1][0].isoformat(), rows[-1][1]]
    chosen = [
        number
        for _, _, number, environment, received_at in rows
        if environment == place.environment_id and received_at < place.before
    ]
    held = place.holds.held_calls([(number, None) for number in chosen])
    locked = Call.objects.select_for_update().filter(
        pk__in=[number for number in chosen if number not in held], session=None
    )
    return Step(_remove(place, list(locked.order_by("digest").values_list(*_SLIM))), end)


def remove_notes(place: Place, _: Cursor | None) -> Step:
    """Remove events without a call, such as those of workflows; each event is checked once."""
    mark, _new = RetentionMark.objects.get_or_create(environment=place.environment)
    rows = Event.objects.filter(project=place.project, id__gt=mark.notes_to).order_by("id")
    rows_seen = list(rows.values_list("id", "received_at", "environment", "call_digest")[:EVENTS])
    due = list(takewhile(lambda row: row[1] < place.before, rows_seen))
    if not due:
        return Step(Removed(), None)
    own = {row[0]: bytes(row[3]) for row in due if row[2] == place.environment_id}
    of_calls = _digests_of_calls(place, set(own.values()))
    alone = [number for number, digest in own.items() if digest not in of_calls]
    removed = delete_rows(Event.objects.filter(pk__in=_not_held(place, alone)))
    mark.notes_to = due[-1][0]
    mark.save(update_fields=["notes_to"])
    is_last = len(due) < EVENTS
    size = removed * call_bytes() // 2
    return Step(Removed(removed, size), None if is_last else [mark.notes_to])


def _not_held(place: Place, notes: Sequence[int]) -> list[int]:
    """Events that no hold covers. An event without a call can't be matched to a hold by search, so
    under such a hold none is removed."""
    if not place.holds.any or not notes:
        return list(notes)
    if place.holds.queries:
        return []
    held = Session.objects.filter(pk__in=place.holds.sessions, environment=place.environment_id)
    names_held = set(held.values_list("session_id", flat=True))
    rows = Event.objects.filter(pk__in=notes).select_related("agent", "environment")
    return [stored.row.pk for stored in read_events(rows)
            if stored.event.session_id not in names_held]  # fmt: skip


def _due_sessions(place: Place, after: Cursor | None) -> QuerySet[Session]:
    rows = Session.objects.filter(
        ~Exists(SessionRemoval.objects.filter(session=OuterRef("pk"))),
        project=place.project,
        environment=place.environment_id,
        last_at__lt=place.before,
    )
    if after is not None:
        at, number = datetime.fromisoformat(str(after[0])), int(after[1])
        rows = rows.filter(Q(last_at__gt=at) | Q(last_at=at, pk__gt=number), last_at__gte=at)
    return rows.only("pk", "last_at", "attempts").order_by("last_at", "pk")


def _that_fit(sessions: Sequence[Session]) -> list[Session]:
    """First sessions with at most `CALLS` calls in total, but at least one session."""
    some: list[Session] = []
    calls = 0
    for session in sessions:
        calls += session.attempts
        if some and calls > CALLS:
            break
        some.append(session)
    return some


def _remove_long_session(place: Place, number: int) -> Removed:
    """Hide a long session now; the job that deletes sessions removes its calls in batches."""
    row = Session.objects.select_for_update().filter(pk=number, last_at__lt=place.before).first()
    late = Call.objects.filter(session=number, received_at__gte=place.before)
    if row is None or late.exists():
        return Removed()
    calls = row.attempts
    hide_past_session(row)
    _note_horizon(place)
    return Removed(calls, calls * call_bytes())


def _remove_sessions(place: Place, numbers: Sequence[int]) -> Removed:
    late = Call.objects.filter(session__in=numbers, received_at__gte=place.before)
    waiting = set(late.order_by().values_list("session_id", flat=True).distinct())
    chosen = [number for number in numbers if number not in waiting]
    calls = Call.objects.select_for_update().filter(session__in=chosen)
    rows = list(calls.order_by("digest").values_list(*_SLIM))
    # Lock in the same order as settling: calls, then sessions. A session with a call that has
    # arrived in between is left for the next run.
    locked = Session.objects.select_for_update().filter(pk__in=chosen, last_at__lt=place.before)
    sessions = list(locked.order_by("id"))
    fresh = _with_other_calls(sessions, {row[0] for row in rows})
    going = {session.pk: session for session in sessions if session.pk not in fresh}
    removed = _remove(place, [row for row in rows if row[3] in going])
    _remove_rows(place, list(going.values()))
    return removed


def _with_other_calls(sessions: Sequence[Session], known: set[int]) -> set[int]:
    rows = Call.objects.filter(session__in=[session.pk for session in sessions]).order_by()
    rows_seen = rows.values_list("id", "session_id")
    return {session for number, session in rows_seen if number not in known and session is not None}


def _remove_rows(place: Place, sessions: Sequence[Session]) -> None:
    if not sessions:
        return
    sessions_go(sessions)
    digests = [bytes(session.digest) for session in sessions]
    ChildSession.objects.filter(
        environment=place.environment_id, parent_digest__in=digests
    ).delete()
    numbers = [session.pk for session in sessions]
    SessionMark.objects.filter(session__in=numbers).delete()
    Session.objects.filter(pk__in=numbers).delete()
    names.forget()


def _remove(place: Place, rows: Sequence[tuple[Any, ...]]) -> Removed:
    """Remove locked calls with their events."""
    if not rows:
        return Removed()
    ids = [row[0] for row in rows]
    PastVerdict.objects.filter(call__in=ids).delete()
    ChangedCall.objects.filter(call__in=ids).delete()
    SuspectedCall.objects.filter(call__in=ids).delete()
    remove_calls(ids)
    events = delete_rows(
        Event.objects.filter(
            environment=place.environment_id, call_digest__in=[bytes(row[1]) for row in rows]
        )
    )
    with_artifacts = Call.objects.filter(~Q(artifact_name="") | ~Q(artifact_read=""), pk__in=ids)
    gone = [codec.call_row_of(row) for row in with_artifacts.values_list(*CALL_COLUMNS)]
    groups = {row[2] for row in rows if row[2] is not None}
    note_past(groups)
    seen = list(AgentSeen.objects.filter(call__in=ids).values_list("pk", "agent"))
    delete_rows(Call.objects.filter(pk__in=ids))
    note_artifacts(((row, None) for row in gone), {})
    _note_agents(place, seen)
    _note_horizon(place)
    return Removed(len(rows), call_bytes() * max(events, len(rows)))


def _note_agents(place: Place, seen: Sequence[tuple[int, int]]) -> None:
    """Keep when each agent was last seen, but point to its newest remaining call."""
    for pk, agent in seen:
        rows = Call.objects.filter(
            project=place.project, environment=place.environment_id, agent=agent
        )
        newest = rows.order_by("-at", "-order").values_list("pk", flat=True).first()
        AgentSeen.objects.filter(pk=pk).update(call=newest)


def _note_horizon(place: Place) -> None:
    mark, _ = RetentionMark.objects.get_or_create(environment=place.environment)
    if mark.calls_before is None or mark.calls_before < place.before:
        mark.calls_before = place.before
        mark.save(update_fields=["calls_before"])


def _digests_of_calls(place: Place, digests: set[bytes]) -> set[bytes]:
    rows = Call.objects.filter(environment=place.environment_id, digest__in=sorted(digests))
    return {bytes(digest) for digest in rows.values_list("digest", flat=True)}

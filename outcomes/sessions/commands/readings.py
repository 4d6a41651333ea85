"""Session states, advanced by new calls or rebuilt if an earlier call changed."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from governance.delivery.queries.governing import Governing
from outcomes.figures.commands.grouping import Change
from outcomes.models import Session
from outcomes.record.codec import CallRow, step_of
from outcomes.sessions.commands.days import Marks, is_long, write_sessions
from outcomes.sessions.domain.long_session import Place
from outcomes.sessions.domain.repeats import RequestedCall
from outcomes.sessions.queries.readings import Seen, SessionState, calls_of, redone_of, stored_state
from outcomes.stored import names

COLUMNS = (
    "id",
    "agent",
    "version",
    "first_at",
    "last_at",
    "attempts",
    "executions",
    "successes",
    "failures",
    "unknown",
    "denied",
    "open",
    "disagreements",
    "artifacts",
    "stopped",
    "limit_name",
    "waste",
    "has",
    "loop",
    "loop_first_at",
    "loop_last_at",
    "loop_call",
    "is_read",
    "tally",
)

OLDER_AT_ONCE = 200  # sessions per transaction; fewer once calls reach OLDER_CALLS_AT_ONCE
OLDER_CALLS_AT_ONCE = 2_000
CHECK_EVERY = 60.0  # seconds: a worker of an older release may still be running
_NO_LOOP = (0, None, None, None)
# Columns of a session whose calls all moved to another one: all counts zero, and not listed.
LEFT = (None, None, None, None, *[0] * 9, "", "", 0, 0, 0, None, None, None, True, "")

_next_check = float("-inf")


class SessionGone(Exception):
    """A session was removed while its calls were being settled; settling starts again."""


@dataclass(frozen=True, slots=True)
class Known:
    """Names that a claim has loaded, by row id."""

    tools: dict[int, str]
    unnamed: frozenset[int]  # agents that no event named


@dataclass(slots=True)
class Touched:
    added: list[Seen] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # of calls that changed or moved

    @property
    def first(self) -> Place:
        return min([*self.places, *(call.place for call in self.added)])


# State of a session in which only verdicts changed; None: rebuild it from its calls.
Corrected = Callable[[Session, Touched], SessionState | None]


def read_sessions(
    changes: Iterable[Change],
    governing: Governing,
    known: Known,
    corrected: Corrected | None = None,
) -> None:
    touched = _touched(changes, known)
    rows: list[tuple[Any, ...]] = []
    before: dict[int, Session] = {}
    unread: list[Session] = []
    marks = Marks(governing)
    for session in Session.objects.select_for_update().filter(pk__in=touched.keys()).order_by("id"):
        touch = touched.pop(session.pk)
        before[session.pk] = session
        state = None if touch.changed else _continued(session, touch, marks)
        if state is None and is_long(session):
            state = corrected(session, touch) if corrected else marks.read_on(session, touch.first)
            if state is not None:
                state.note_redone(redone_of(session), touch.first)
                marks.forget(session, since=touch.first)
        if state is None:
            unread.append(session)
        else:
            rows.append(_row(session.pk, state))
    if touched:
        names.forget()
        raise SessionGone
    rows += _read_all(unread, marks)
    write_sessions(before, COLUMNS, sorted(rows, key=lambda row: row[0]))
    marks.write()


def read_again(numbers: Iterable[int]) -> list[Session]:
    """Rebuild sessions from their remaining calls; returns those without any, still locked."""
    sessions = list(Session.objects.select_for_update().filter(pk__in=numbers).order_by("id"))
    marks = Marks(Governing({session.environment_id for session in sessions}))
    rows = list(_read_all(sessions, marks))
    write_sessions({each.pk: each for each in sessions}, COLUMNS, rows)
    marks.write()
    empty = {row[0] for row in rows if row[1:] == LEFT}
    return [session for session in sessions if session.pk in empty]


def _read_all(sessions: list[Session], marks: Marks) -> Iterator[tuple[Any, ...]]:
    if not sessions:
        return  # the usual case, and even a query that finds nothing costs a millisecond
    calls = calls_of([session.pk for session in sessions])
    for session in sessions:
        session_calls, redone = calls.get(session.pk), redone_of(session)
        if is_long(session):
            marks.forget(session)
        if not session_calls:
            yield (session.pk, *LEFT)
            continue
        state = marks.read_state(session, session_calls)
        if is_long(session) or redone:
            state.note_redone(redone, None)
        yield _row(session.pk, state)


def read_older_now_and_then() -> bool:
    """Rebuild some older sessions when the backlog is empty; True if there are more."""
    global _next_check
    if time.monotonic() < _next_check:
        return False
    if read_older():
        return True
    _next_check = time.monotonic() + CHECK_EVERY
    return False


def read_older() -> int:
    """Rebuild some sessions that an older release stored; returns how many."""
    older = Session.objects.filter(is_read=False).order_by("id")
    if not older.exists():
        return 0
    with transaction.atomic():
        rows = list[tuple[Any, ...]]()
        unread, calls, before = list[Session](), 0, dict[int, Session]()
        marks = Marks(Governing([]))
        for session in older.select_for_update(skip_locked=True)[:OLDER_AT_ONCE]:
            before[session.pk] = session
            if session.attempts:
                unread.append(session)
            else:
                rows.append((session.pk, *LEFT))  # a removal may still be deleting its calls
            calls += session.attempts
            if calls >= OLDER_CALLS_AT_ONCE:
                break
        rows += _read_all(unread, marks)
        write_sessions(before, COLUMNS, sorted(rows, key=lambda row: row[0]))
        marks.write()
    return len(rows)


def _touched(changes: Iterable[Change], known: Known) -> dict[int, Touched]:
    touched: dict[int, Touched] = defaultdict(Touched)
    for old, new in changes:
        if old is None:
            if new.session is not None:
                touched[new.session].added.append(_seen(new, known))
            continue
        for row in (old, new):
            if row.session is not None:
                touch = touched[row.session]
                touch.places.append((row.at, row.call_index, row.order))
                if row is old or old.session != new.session:
                    touch.changed.append((old, new))
    return touched


def _seen(row: CallRow, known: Known) -> Seen:
    place, step = (row.at, row.call_index, row.order), step_of(row, known.tools[row.tool])
    request = RequestedCall(
        row.id,
        row.at,
        row.turn_id,
        row.tool,
        row.kind,
        row.arguments,
        row.idempotent,
        row.blocks_tool,
    )
    return Seen(place, step, request, row.agent, row.agent not in known.unnamed)


def _continued(session: Session, touched: Touched, marks: Marks) -> SessionState | None:
    """State with the new calls, or None if the session has to be read from its start."""
    calls = sorted(touched.added, key=lambda call: call.place)
    if not session.attempts:
        return marks.read_state(session, calls)  # a new session: these are all of its calls
    state = stored_state(session, marks.governing)
    if (
        state is None
        or calls[0].place <= state.last
        or any(call.step.version != state.version for call in calls)
    ):
        return None
    marks.go_on(session, state, calls)
    return state


def _row(session: int, state: SessionState) -> tuple[Any, ...]:
    tally, waste = state.tally, state.repeats.waste
    loop = state.repeats.longest_loop()
    has = (
        bool(tally.denied) * Session.Has.DENIALS
        | bool(tally.disagreements) * Session.Has.DISAGREEMENTS
        | bool(state.artifacts) * Session.Has.ARTIFACTS
        | bool(waste) * Session.Has.WASTE
    )
    return (
        session,
        state.agent,
        state.version,
        state.first_at,
        state.last[0],
        tally.attempts,
        tally.executions,
        tally.successes,
        tally.failures,
        tally.unknown,
        tally.denied,
        tally.open,
        tally.disagreements,
        state.artifacts,
        tally.stopped(),
        tally.limit_name(),
        waste,
        has,
        *((loop.times, loop.first_at, loop.last_at, loop.call) if loop else _NO_LOOP),
        True,
        state.to_json(),
    )

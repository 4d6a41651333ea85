"""Counts of sessions by the day of their last call, computed once the day is over and again when
one of its sessions changes.

A counted day without a row has no sessions; a row is correct unless a change to its day is
recorded. Changes are read before a day is counted and only those are deleted, so a concurrent
change is counted the next time.
"""

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from governance.delivery.queries.governing import Governing
from governance.people.queries.projects import projects
from outcomes.core.moments import day_of
from outcomes.database import bulk, try_lock
from outcomes.models import Session, SessionDay, SessionDayChange, SessionMark
from outcomes.sessions.domain.days import MARKED_FROM, OVER_AFTER, start_of
from outcomes.sessions.domain.long_session import Place
from outcomes.sessions.queries.days import pack_groups
from outcomes.sessions.queries.groups import counted_groups
from outcomes.sessions.queries.readings import (
    Seen,
    SessionState,
    before_all,
    calls_after,
    marked_state,
)

logger = logging.getLogger(__name__)

EVERY: Final = 60.0  # seconds
AT_ONCE: Final = 20  # days
LOCK: Final = 0x73646179  # of PostgreSQL's advisory locks
# Columns that sessions of a day are grouped by; the environment of a session never changes.
_KIND: Final = ("agent", "version", "stopped", "limit_name", "has")

_next = float("-inf")


def write_sessions(
    before: Mapping[int, Session], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Update sessions and record, in the same commit, changes to days that may be counted already.
    `before` holds the sessions as they were, by id, which is the first column of a row."""
    counted = day_of(timezone.now()) - MARKED_FROM
    places = [columns.index(name) for name in ("last_at", *_KIND)]
    changed = set[tuple[int, int]]()
    for row in rows:
        session = before[row[0]]
        was, now = _kind_of(session), _kind(*(row[place] for place in places))
        if was != now:
            days = {kind[0] for kind in (was, now) if kind is not None}
            changed |= {(session.project_id, day) for day in days if day <= counted}
    bulk.update(Session, columns, rows)
    _say(changed)


def sessions_go(sessions: Iterable[Session]) -> None:
    """Record, in the commit that removes these sessions, the days that this changes."""
    kinds = {(session.project_id, _kind_of(session)) for session in sessions}
    _say({(project, kind[0]) for project, kind in kinds if kind is not None})


def _kind_of(session: Session) -> tuple[Any, ...] | None:
    return _kind(
        session.last_at,
        session.agent_id,
        session.version_id,
        session.stopped,
        session.limit_name,
        session.has,
    )


def _kind(last_at: datetime | None, *others: Any) -> tuple[Any, ...] | None:
    """Day and columns that a session is counted by, or None if it is not listed."""
    return None if last_at is None else (day_of(last_at), *others)


def _say(changed: Iterable[tuple[int, int]]) -> None:
    rows = [SessionDayChange(project_id=project, day=day) for project, day in sorted(changed)]
    if rows:
        SessionDayChange.objects.bulk_create(rows)


def count_days_now_and_then() -> bool:
    """Count a batch of days when the backlog is empty; True if more can be counted right away."""
    global _next
    if time.monotonic() < _next:
        return False
    try:
        if count_days(timezone.now()):
            return True
    except Exception:
        # The session list works without these counts, and settling must not be held up.
        logger.exception("Counting sessions by day failed and will be retried")
    _next = time.monotonic() + EVERY
    return False


def count_days(now: datetime) -> int:
    """Count some finished days of one project, and return how many."""
    over = day_of(now) - OVER_AFTER
    for project in projects():
        if number := _count_some(project.pk, over):
            return number
    return 0


@transaction.atomic
def _count_some(project: int, over: int) -> int:
    if not try_lock(LOCK):
        return 0
    last = SessionDay.objects.filter(project=project).aggregate(last=Max("day"))["last"]
    changes = list(SessionDayChange.objects.filter(project=project).values_list("pk", "day"))
    new = _new_days(project, last, over)
    days = new or sorted({day for _, day in changes if last is not None and day <= last})
    for day in days[:AT_ONCE]:
        groups = counted_groups(project, start_of(day), start_of(day + 1))
        counts = {"sessions": sum(group[-1] for group in groups), "groups": pack_groups(groups)}
        SessionDay.objects.update_or_create(project_id=project, day=day, defaults=counts)
    seen = set(days[:AT_ONCE])
    newest = max([over, *days]) if last is None else last
    # A day that is not counted yet will include its changes when it is.
    done = [pk for pk, day in changes if day in seen or day > newest]
    SessionDayChange.objects.filter(pk__in=done).delete()
    return len(seen)


def _new_days(project: int, last: int | None, over: int) -> list[int]:
    """Next finished days to count, skipping days without sessions; the last finished day is
    counted in any case, to record how far the count got."""
    days = list[int]()
    rows = Session.objects.filter(project=project, last_at__isnull=False).order_by("last_at")
    day = last
    while len(days) < AT_ONCE and (day is None or day < over):
        rest = rows if day is None else rows.filter(last_at__gte=start_of(day + 1))
        at = rest.values_list("last_at", flat=True).first()
        if at is None and day is None:
            return []
        day = over if at is None else min(day_of(at), over)
        days.append(day)
    return days


MARK_EVERY: Final = 500  # calls


def is_long(session: Session) -> bool:
    return session.attempts >= MARK_EVERY


class Marks:
    """Marks (stored intermediate states of long sessions) that one claim makes and writes at its
    end."""

    def __init__(self, governing: Governing) -> None:
        self.governing = governing
        self._made: list[tuple[Any, ...]] = []

    def go_on(self, session: Session, state: SessionState, calls: Sequence[Seen]) -> None:
        while calls:
            room = MARK_EVERY - state.tally.attempts % MARK_EVERY
            state.go_on(calls[:room])
            calls = calls[room:]
            number = state.tally.attempts
            if number % MARK_EVERY == 0:
                self._made.append((session.pk, number, state.last[0], state.marked()))

    def read_state(self, session: Session, calls: Sequence[Seen]) -> SessionState:
        """State after all calls of the session, given in order."""
        state = before_all(calls, self.governing)
        self.go_on(session, state, calls)
        return state

    def read_on(self, session: Session, changed: Place) -> SessionState | None:
        """State read from the last mark before the first changed call; None if no mark fits."""
        before = SessionMark.objects.filter(session=session.pk, at__lt=changed[0])
        mark = before.order_by("-number").first()
        state = marked_state(mark, self.governing) if mark else None
        if state is None:
            return None
        calls = calls_after(session.pk, state.last)
        known = {None, state.version, *state.earlier}
        if (
            not calls
            or calls[-1].step.version != state.version
            or any(call.step.version not in known for call in calls)
        ):
            return None  # other limits apply now
        self.go_on(session, state, calls)
        return state

    def forget(self, session: Session, since: Place | None = None) -> None:
        """Remove marks that include changed calls."""
        gone = SessionMark.objects.filter(session=session.pk)
        (gone if since is None else gone.filter(at__gte=since[0])).delete()

    def write(self) -> None:
        rows = sorted(self._made)
        bulk.put(SessionMark, ("session", "number"), ("at", "state"), rows)

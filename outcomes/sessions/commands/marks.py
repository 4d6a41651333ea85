"""Marks in long sessions: states at some calls, so that a late call is read from the mark before
it.

An agent reports first that a call was allowed and then its outcome. Without marks, each such claim
would read the session from its start.
"""

from collections.abc import Sequence
from typing import Any, Final

from governance.delivery.queries.governing import Governing
from outcomes.database import bulk
from outcomes.models import Session, SessionMark
from outcomes.sessions.domain.long_session import Place
from outcomes.sessions.queries.readings import (
    Seen,
    SessionState,
    before_all,
    calls_after,
    marked_state,
)

EVERY: Final = 500  # calls


def is_long(session: Session) -> bool:
    return session.attempts >= EVERY


class Marks:
    """Those that one claim makes, written at its end."""

    def __init__(self, governing: Governing) -> None:
        self.governing = governing
        self._made: list[tuple[Any, ...]] = []

    def go_on(self, session: Session, state: SessionState, calls: Sequence[Seen]) -> None:
        while calls:
            room = EVERY - state.tally.attempts % EVERY
            state.go_on(calls[:room])
            calls = calls[room:]
            number = state.tally.attempts
            if number % EVERY == 0:
                self._made.append((session.pk, number, state.last[0], state.marked()))

    def read_state(self, session: Session, calls: Sequence[Seen]) -> SessionState:
        """Alls calls, in order."""
        state = before_all(calls, self.governing)
        self.go_on(session, state, calls)
        return state

    def read_on(self, session: Session, changed: Place) -> SessionState | None:
        """From the last mark before what changed first; None where that cannot be."""
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
            return None  # its limits are others now
        self.go_on(session, state, calls)
        return state

    def forget(self, session: Session, since: Place | None = None) -> None:
        """Marks that hold what changed."""
        gone = SessionMark.objects.filter(session=session.pk)
        (gone if since is None else gone.filter(at__gte=since[0])).delete()

    def write(self) -> None:
        rows = sorted(self._made)
        bulk.put(SessionMark, ("session", "number"), ("at", "state"), rows)

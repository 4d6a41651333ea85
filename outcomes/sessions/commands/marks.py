"""Marks in long sessions: how a session stood there, so that a late call is read from there on.

An agent tells first that a call was allowed and then what became of it. Without marks, each such
claim would read all that a session ever did.
"""

from collections.abc import Sequence
from typing import Any, Final

from governance.delivery.queries.governing import Governing
from outcomes import bulk
from outcomes.models import Session, SessionMark
from outcomes.sessions.domain.long_session import Place
from outcomes.sessions.queries.readings import Seen, Standing, before_all, calls_after, standing_at

EVERY: Final = 500  # calls


def is_long(session: Session) -> bool:
    return session.attempts >= EVERY


class Marks:
    """Those that one claim makes, written at its end."""

    def __init__(self, governing: Governing) -> None:
        self.governing = governing
        self._made: list[tuple[Any, ...]] = []

    def go_on(self, session: Session, standing: Standing, calls: Sequence[Seen]) -> None:
        while calls:
            room = EVERY - standing.tally.attempts % EVERY
            standing.go_on(calls[:room])
            calls = calls[room:]
            number = standing.tally.attempts
            if number % EVERY == 0:
                self._made.append((session.pk, number, standing.last[0], standing.marked()))

    def read_anew(self, session: Session, calls: Sequence[Seen]) -> Standing:
        """All of its calls, in order."""
        standing = before_all(calls, self.governing)
        self.go_on(session, standing, calls)
        return standing

    def read_on(self, session: Session, changed: Place) -> Standing | None:
        """From the last mark before what changed first; None where that cannot be."""
        before = SessionMark.objects.filter(session=session.pk, at__lt=changed[0])
        mark = before.order_by("-number").first()
        standing = standing_at(mark, self.governing) if mark else None
        if standing is None:
            return None
        calls = calls_after(session.pk, standing.last)
        known = {None, standing.version, *standing.earlier}
        if (
            not calls
            or calls[-1].step.version != standing.version
            or any(call.step.version not in known for call in calls)
        ):
            return None  # its limits are others now
        self.go_on(session, standing, calls)
        return standing

    def forget(self, session: Session, since: Place | None = None) -> None:
        """Marks that hold what changed."""
        gone = SessionMark.objects.filter(session=session.pk)
        (gone if since is None else gone.filter(at__gte=since[0])).delete()

    def write(self) -> None:
        rows = sorted(self._made)
        bulk.put(SessionMark, ("session", "number"), ("at", "state"), rows)

"""Cache of long sessions while their calls are reclassified: each is read once, not once per
chunk.

They are loaded before the writing transaction. Concurrent settling records the first call that it
changed, and only the calls from there on are read again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from governance.delivery.queries.governing import Governing
from outcomes.models import Session
from outcomes.record.codec import CallRow, step_of
from outcomes.record.session_step import Step
from outcomes.sessions.commands import days
from outcomes.sessions.commands.readings import Touched
from outcomes.sessions.domain.long_session import LongSession, Place
from outcomes.sessions.queries.readings import Redone, SessionState, steps_after, stored_state


@dataclass(slots=True)
class _Held:
    calls: LongSession
    token: str = ""  # of the newest change included here


class LongSessions:
    def __init__(self, governing: Governing) -> None:
        self._governing = governing
        self._held: dict[int, _Held] = {}
        self._written: list[tuple[_Held, Place, Step]] = []  # old steps, until the commit
        self._states: list[tuple[_Held, SessionState]] = []

    def load(self, sessions: Iterable[int]) -> None:
        """Load these sessions and drop all others."""
        numbers = set(sessions)
        self._held = {number: held for number, held in self._held.items() if number in numbers}
        for session in Session.objects.filter(pk__in=numbers, attempts__gte=days.MARK_EVERY):
            state = stored_state(session, self._governing)
            if state is not None:
                self._caught_up(session.pk, state)

    def corrected(
        self, session: Session, touched: Touched, tools: dict[int, str]
    ) -> SessionState | None:
        """New state of a locked session in which only verdicts changed; None if it has to be
        rebuilt."""
        state = stored_state(session, self._governing)
        if state is None:
            return None
        held = self._caught_up(session.pk, state)
        if len(held.calls) != state.tally.attempts:
            del self._held[session.pk]
            return None
        changed: list[tuple[Step, Step]] = []
        for old, new in touched.changed:
            if old is None:
                continue
            before, after = (step_of(row, tools[row.tool]) for row in (old, new))
            place = _place_of(old)
            held.calls.reclassify(place, after)
            self._written.append((held, place, before))
            changed.append((before, after))
        held.calls.correct(state.tally, changed)
        self._states.append((held, state))
        return state

    def note_written(self) -> None:
        """After the commit: record that the cached sessions include the written states."""
        for held, state in self._states:
            held.token = state.redone[-1].token
        self._forget_how_it_was()

    def roll_back(self) -> None:
        for held, place, before in self._written:
            held.calls.reclassify(place, before)
        self._forget_how_it_was()

    def _forget_how_it_was(self) -> None:
        self._written.clear()
        self._states.clear()

    def _caught_up(self, number: int, state: SessionState) -> _Held:
        limits = state.tally.limits_counted
        held = self._held.get(number)
        if held is None or held.calls.limits != limits:
            held = _Held(LongSession(limits))
        for redone in _since(held.token, state.redone):
            if redone.place is None:
                held.calls = LongSession(limits)
            else:
                held.calls.cut(redone.place)
        if state.redone:
            held.token = state.redone[-1].token
        if len(held.calls) != state.tally.attempts:
            for place, step in steps_after(number, held.calls.last):
                held.calls.append(place, step)
        self._held[number] = held
        return held


def _since(token: str, redone: list[Redone]) -> list[Redone]:
    known = [entry.token for entry in redone]
    return redone[known.index(token) + 1 :] if token in known else redone


def _place_of(row: CallRow) -> Place:
    return row.at, row.call_index, row.order

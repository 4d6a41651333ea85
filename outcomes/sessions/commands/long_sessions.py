"""Long sessions, at hand while their calls are judged anew: each is read once, not once per chunk.

They are read before the transaction that writes. In it, whoever settled meanwhile has noted from
which call on something changed, and only from there on is read again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from governance.delivery.queries.governing import Governing
from outcomes.models import Session
from outcomes.record.codec import CallRow, step_of
from outcomes.record.session_step import Step
from outcomes.sessions.commands import marks as session_marks
from outcomes.sessions.commands.readings import Touched
from outcomes.sessions.domain.long_session import LongSession, Place
from outcomes.sessions.queries.readings import Redone, Standing, standing_of, steps_after


@dataclass(slots=True)
class _Held:
    calls: LongSession
    token: str = ""  # of the newest change that is known here


class LongSessions:
    def __init__(self, governing: Governing) -> None:
        self._governing = governing
        self._held: dict[int, _Held] = {}
        self._written: list[tuple[_Held, Place, Step]] = []  # as it was, until that is for good
        self._standings: list[tuple[_Held, Standing]] = []

    def look_at(self, sessions: Iterable[int]) -> None:
        """All others are let go."""
        wanted = set(sessions)
        self._held = {number: held for number, held in self._held.items() if number in wanted}
        for kept in Session.objects.filter(pk__in=wanted, attempts__gte=session_marks.EVERY):
            standing = standing_of(kept, self._governing)
            if standing is not None:
                self._caught_up(kept.pk, standing)

    def corrected(self, kept: Session, touched: Touched, tools: dict[int, str]) -> Standing | None:
        """Its row is locked, and of its calls nothing but verdicts changed."""
        standing = standing_of(kept, self._governing)
        if standing is None:
            return None
        held = self._caught_up(kept.pk, standing)
        if len(held.calls) != standing.tally.attempts:
            del self._held[kept.pk]
            return None
        changed: list[tuple[Step, Step]] = []
        for old, new in touched.changed:
            if old is None:
                continue
            before, after = (step_of(row, tools[row.tool]) for row in (old, new))
            place = _place_of(old)
            held.calls.judge_anew(place, after)
            self._written.append((held, place, before))
            changed.append((before, after))
        held.calls.correct(standing.tally, changed)
        self._standings.append((held, standing))
        return standing

    def note_written(self) -> None:
        """What is known of it is part of what is held."""
        for held, standing in self._standings:
            held.token = standing.redone[-1].token
        self._forget_how_it_was()

    def take_back(self) -> None:
        for held, place, before in self._written:
            held.calls.judge_anew(place, before)
        self._forget_how_it_was()

    def _forget_how_it_was(self) -> None:
        self._written.clear()
        self._standings.clear()

    def _caught_up(self, number: int, standing: Standing) -> _Held:
        limits = standing.tally.limits_counted
        held = self._held.get(number)
        if held is None or held.calls.limits != limits:
            held = _Held(LongSession(limits))
        for redone in _since(held.token, standing.redone):
            if redone.place is None:
                held.calls = LongSession(limits)
            else:
                held.calls.cut(redone.place)
        if standing.redone:
            held.token = standing.redone[-1].token
        if len(held.calls) != standing.tally.attempts:
            for place, step in steps_after(number, held.calls.last):
                held.calls.append(place, step)
        self._held[number] = held
        return held


def _since(token: str, redone: list[Redone]) -> list[Redone]:
    known = [each.token for each in redone]
    return redone[known.index(token) + 1 :] if token in known else redone


def _place_of(row: CallRow) -> Place:
    return row.at, row.call_index, row.order

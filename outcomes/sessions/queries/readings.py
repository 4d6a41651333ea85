"""State of a session after its newest call: resumed from its row, or rebuilt from all calls.

Everything stored is derived from the calls and can always be rebuilt; resuming is a shortcut.
"""

import json
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet

from governance.contracts.domain.limit_use import LimitUse
from governance.delivery.queries.governing import Governing
from outcomes.database import bulk
from outcomes.models import Call, Session, SessionMark
from outcomes.record.codec import STEP_COLUMNS, step_from
from outcomes.record.event import UNKNOWN_AGENT
from outcomes.record.session_step import Step
from outcomes.sessions.domain.long_session import Place
from outcomes.sessions.domain.repeats import Repeats, RequestedCall
from outcomes.sessions.domain.session import SessionTally

REDONE: Final = 8  # changes stored with a session, the newest ones
AT_ONCE: Final = 5_000
_PLACE = ("at", "call_index", "order")
_CALL_COLUMNS = ("id", "turn_id", "tool", "arguments", "idempotent", "blocks_tool")
_COLUMNS = (*_PLACE, "agent", "agent__name", "tool__name", *_CALL_COLUMNS, *STEP_COLUMNS)


class Redone(NamedTuple):
    """A change to calls that were already read; caches must reread the session from this place."""

    token: str
    place: Place | None  # None: from the beginning


@dataclass(slots=True)
class Seen:
    """The parts of a call that its session's state depends on."""

    place: Place
    step: Step
    request: RequestedCall
    agent: int
    named: bool  # the agent has a name, and is not merely unknown

    @property
    def is_artifact(self) -> bool:
        return self.step.kind == "artifact_reference"


@dataclass(slots=True)
class SessionState:
    """State of one session after its newest call."""

    tally: SessionTally
    repeats: Repeats
    version: int | None
    earlier: list[int]  # versions that governed calls before the last one
    first_at: datetime
    last: Place
    agent: int  # of the last call that names one
    named: bool
    artifacts: int
    redone: list[Redone] = field(default_factory=list)

    def go_on(self, calls: Iterable[Seen]) -> None:
        for call in calls:
            self.tally.advance(call.step)
            self.repeats.advance(call.request)
            self.last = call.place
            if call.named or not self.named:
                self.agent, self.named = call.agent, call.named
            self.artifacts += call.is_artifact

    def note_redone(self, before: list[Redone], place: Place | None) -> None:
        """Add to the earlier changes that everything from this place on changed."""
        redone = [*before, Redone(secrets.token_hex(4), place)]
        if len(redone) > REDONE:  # a cache older than these is read from the beginning
            redone = [redone[-REDONE]._replace(place=None), *redone[1 - REDONE :]]
        self.redone = redone

    def to_json(self) -> str:
        """Text that `stored_state` resumes from."""
        state = self._state()
        if self.redone:
            state["redone"] = [
                [token, place and _place_values(place)] for token, place in self.redone
            ]
        return json.dumps(state, separators=(",", ":"))

    def marked(self) -> str:
        """State of the session as JSON, stored in a mark."""
        state = self._state() | {
            "version": self.version,
            "first_at": self.first_at.isoformat(),
            "agent": self.agent,
            "artifacts": self.artifacts,
        }
        return json.dumps(state, separators=(",", ":"))

    def _state(self) -> dict[str, Any]:
        return {
            "last": _place_values(self.last),
            "earlier": self.earlier,
            "named": self.named,
            "tally": self.tally.state(),
            "repeats": self.repeats.state(),
        }


def stored_state(session: Session, governing: Governing) -> SessionState | None:
    """State of the session; None if it was stored for other limits or by another release."""
    if not session.tally or session.first_at is None or session.agent_id is None:
        return None
    stored = json.loads(session.tally)
    columns = session.version_id, session.first_at, session.agent_id, session.artifacts
    state = _resumed(stored, *columns, governing)
    if state is not None:
        state.redone = _redone_in(stored)
    return state


def marked_state(mark: SessionMark, governing: Governing) -> SessionState | None:
    """State at a mark, or None for the same reasons as in `stored_state`."""
    state = json.loads(mark.state)
    first_at = datetime.fromisoformat(state["first_at"]).astimezone(UTC)
    columns = state["version"], first_at, state["agent"], state["artifacts"]
    return _resumed(state, *columns, governing)


def redone_of(session: Session) -> list[Redone]:
    return _redone_in(json.loads(session.tally)) if session.tally else []


def _redone_in(state: dict[str, Any]) -> list[Redone]:
    entries = state.get("redone", [])
    return [Redone(token, place and _place_of(place)) for token, place in entries]


def _resumed(
    state: dict[str, Any],
    version: int | None,
    first_at: datetime,
    agent: int,
    artifacts: int,
    governing: Governing,
) -> SessionState | None:
    earlier = state["earlier"]
    tally = SessionTally.resumed(
        state["tally"],
        governing.limits_of(version),
        {number: governing.limits_of(number) for number in earlier},
    )
    if tally is None or "repeats" not in state:
        return None
    return SessionState(
        tally,
        Repeats.resumed(state["repeats"]),
        version,
        earlier,
        first_at,
        _place_of(state["last"]),
        agent,
        state["named"],
        artifacts,
    )


def read_state(calls: Sequence[Seen], governing: Governing) -> SessionState:
    state = before_all(calls, governing)
    state.go_on(calls)
    return state


def before_all(calls: Sequence[Seen], governing: Governing) -> SessionState:
    """Initial state for all calls of a session, given in order, with the limits of the newest
    call."""
    first, version = calls[0], calls[-1].step.version
    governed = {call.step.version for call in calls} - {None, version}
    earlier = sorted(number for number in governed if number is not None)
    tally = SessionTally(
        governing.limits_of(version),
        {number: governing.limits_of(number) for number in earlier},
    )
    place = first.place[0], first.place
    return SessionState(
        tally, Repeats(), version, earlier, *place, first.agent, first.named, artifacts=0
    )


def calls_of(sessions: list[int]) -> dict[int, list[Seen]]:
    by_session: dict[int, list[Seen]] = defaultdict(list)
    calls = Call.objects.filter(session__in=sessions).order_by("session", *_PLACE)
    for session, *rest in bulk.rows_of(calls.values_list("session", *_COLUMNS)):
        by_session[session].append(_seen(rest))
    return by_session


def calls_after(session: int, place: Place) -> list[Seen]:
    return [_seen(row) for row in _after(session, place).values_list(*_COLUMNS)]


def steps_after(session: int, place: Place | None) -> Iterator[tuple[Place, Step]]:
    """Steps of all calls after a place, loaded in batches."""
    while True:
        rows = _after(session, place).values_list(*_PLACE, "tool__name", *STEP_COLUMNS)
        at_once = list(rows[:AT_ONCE])
        for at, index, order, tool, *rest in at_once:
            place = at, index, order
            yield place, step_from(tool, *rest)
        if len(at_once) < AT_ONCE:
            return


def _after(session: int, place: Place | None) -> QuerySet[Call]:
    calls = Call.objects.filter(session=session).order_by(*_PLACE)
    if place is None:
        return calls
    at, index, order = place
    later = Q(at__gt=at) | Q(at=at, call_index__gt=index)
    return calls.filter(later | Q(at=at, call_index=index, order__gt=order), at__gte=at)


def _seen(row: Sequence[Any]) -> Seen:
    at, index, order, agent, name, tool, *others = row
    call, turn, tool_id, arguments, idempotent, blocks, *rest = others
    arguments = None if arguments is None else bytes(arguments)
    request = RequestedCall(call, at, turn, tool_id, rest[0], arguments, idempotent, blocks)
    step = step_from(tool, *rest)
    return Seen((at, index, order), step, request, agent, name != UNKNOWN_AGENT)


def _place_values(place: Place) -> list[Any]:
    at, index, order = place
    return [at.isoformat(), index, order]


def _place_of(values: list[Any]) -> Place:
    return datetime.fromisoformat(values[0]).astimezone(UTC), values[1], values[2]


@dataclass(frozen=True, slots=True)
class SessionReport:
    session: Session
    counts: dict[str, Any]
    denials: dict[str, int]
    limits: list[LimitUse]


def report_of(session: Session, governing: Governing) -> SessionReport:
    state = stored_state(session, governing)
    if state is None:
        state = read_state(calls_of([session.pk])[session.pk], governing)
    tally = state.tally
    return SessionReport(session, tally.counts(), tally.denials, tally.limits())

"""Where the reading of a session stands: as it was kept, or read anew from all of its calls.

Whatever is kept of a session follows from its calls, so it can always be read anew; going on from
where it stood is only the short way.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from governance.queries import Governing
from outcomes.codec import STEP_COLUMNS, step_from
from outcomes.domain.event import UNKNOWN_AGENT
from outcomes.domain.repeats import AskedCall, Repeats
from outcomes.domain.session import SessionTally, Step
from outcomes.models import Call, Session

Place = tuple[datetime, int, int]
_PLACE = ("session", "at", "call_index", "order")
_ASKED = ("id", "turn_id", "tool", "arguments", "idempotent", "blocks_tool")


@dataclass(slots=True)
class Seen:
    """A call as its session looks at it."""

    place: Place
    step: Step
    asked: AskedCall
    agent: int
    named: bool  # the agent has a name, and is not merely unknown

    @property
    def is_artifact(self) -> bool:
        return self.step.kind == "artifact_reference"


@dataclass(slots=True)
class Standing:
    """Where the reading of one session stands."""

    tally: SessionTally
    repeats: Repeats
    version: int | None
    earlier: list[int]  # versions that governed calls before the last one
    first_at: datetime
    last: Place
    agent: int  # of the last call that names one
    named: bool
    artifacts: int

    def go_on(self, calls: Iterable[Seen]) -> None:
        for call in calls:
            self.tally.advance(call.step)
            self.repeats.advance(call.asked)
            self.last = call.place
            if call.named or not self.named:
                self.agent, self.named = call.agent, call.named
            self.artifacts += call.is_artifact

    def kept(self) -> str:
        """The text that `standing_of` goes on from."""
        at, index, order = self.last
        state = {
            "last": [at.isoformat(), index, order],
            "earlier": self.earlier,
            "named": self.named,
            "tally": self.tally.state(),
            "repeats": self.repeats.state(),
        }
        return json.dumps(state, separators=(",", ":"))


def standing_of(session: Session, governing: Governing) -> Standing | None:
    """Where the session stands; None when that was kept for other limits, or by other code."""
    if not session.tally or session.first_at is None or session.agent_id is None:
        return None
    state: dict[str, Any] = json.loads(session.tally)
    earlier = state["earlier"]
    tally = SessionTally.resumed(
        state["tally"],
        governing.limits_of(session.version_id),
        {version: governing.limits_of(version) for version in earlier},
    )
    if tally is None or "repeats" not in state:
        return None
    return Standing(
        tally,
        Repeats.resumed(state["repeats"]),
        session.version_id,
        earlier,
        session.first_at,
        _place_of(state["last"]),
        session.agent_id,
        state["named"],
        session.artifacts,
    )


def read_anew(calls: Sequence[Seen], governing: Governing) -> Standing:
    """All calls of a session, in order. Its limits are those that governed the last one."""
    first, version = calls[0], calls[-1].step.version
    governed = {call.step.version for call in calls} - {None, version}
    earlier = sorted(number for number in governed if number is not None)
    tally = SessionTally(
        governing.limits_of(version),
        {number: governing.limits_of(number) for number in earlier},
    )
    place = first.place[0], first.place
    standing = Standing(
        tally, Repeats(), version, earlier, *place, first.agent, first.named, artifacts=0
    )
    standing.go_on(calls)
    return standing


def calls_of(sessions: list[int]) -> dict[int, list[Seen]]:
    found: dict[int, list[Seen]] = defaultdict(list)
    rows = (
        Call.objects.filter(session__in=sessions)
        .order_by(*_PLACE)
        .values_list(*_PLACE, "agent", "agent__name", "tool__name", *_ASKED, *STEP_COLUMNS)
    )
    for session, at, index, order, agent, name, tool, *told in rows:
        call, turn, of, arguments, idempotent, blocks, *rest = told
        arguments = None if arguments is None else bytes(arguments)
        asked = AskedCall(call, at, turn, of, rest[0], arguments, idempotent, blocks)
        step, named = step_from(tool, *rest), name != UNKNOWN_AGENT
        found[session].append(Seen((at, index, order), step, asked, agent, named))
    return found


def _place_of(kept: list[Any]) -> Place:
    return datetime.fromisoformat(kept[0]).astimezone(UTC), kept[1], kept[2]

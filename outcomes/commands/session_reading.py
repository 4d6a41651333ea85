"""Sessions, read on with the calls that came, or anew where something earlier changed.

Whatever is kept of a session follows from its calls, so it can always be read anew; going on from
where it stood is only the short way, and taken only when all new calls come after the last one.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from governance.queries import Governing
from outcomes import bulk
from outcomes.codec import STEP_COLUMNS, CallRow, step_from, step_of
from outcomes.commands import names
from outcomes.commands.counting import Change
from outcomes.domain.session import SessionTally, Step
from outcomes.models import Call, Session

Place = tuple[datetime, int, int]
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
    "tally",
)


class SessionGone(Exception):
    """A session was removed while its calls were being settled; they are settled anew."""


@dataclass(slots=True)
class Seen:
    """A call as its session looks at it."""

    place: Place
    step: Step
    agent: int

    @property
    def is_artifact(self) -> bool:
        return self.step.kind == "artifact_reference"


@dataclass(slots=True)
class Touched:
    added: list[Seen] = field(default_factory=list)
    changed: bool = False


@dataclass(slots=True)
class Standing:
    """Where the reading of one session stands."""

    tally: SessionTally
    version: int | None
    earlier: list[int]  # versions that governed calls before the last one
    first_at: datetime
    last: Place
    agent: int
    artifacts: int

    def go_on(self, calls: Iterable[Seen]) -> None:
        for call in calls:
            self.tally.advance(call.step)
            self.last, self.agent = call.place, call.agent
            self.artifacts += call.is_artifact


def read_sessions(changes: Iterable[Change], governing: Governing, tools: dict[int, str]) -> None:
    touched = _touched(changes, tools)
    rows: list[tuple[Any, ...]] = []
    anew: list[int] = []
    for kept in Session.objects.select_for_update().filter(pk__in=touched.keys()).order_by("id"):
        each = touched.pop(kept.pk)
        standing = None if each.changed else _continued(kept, each, governing)
        if standing is None:
            anew.append(kept.pk)
        else:
            rows.append(_row(kept.pk, standing))
    if touched:
        names.forget()
        raise SessionGone
    for session, calls in _all_calls(anew).items():
        rows.append(_row(session, _read_anew(calls, governing)))
    bulk.update(Session, COLUMNS, sorted(rows, key=lambda row: row[0]))


def _touched(changes: Iterable[Change], tools: dict[int, str]) -> dict[int, Touched]:
    touched: dict[int, Touched] = defaultdict(Touched)
    for old, new in changes:
        if old is not None and old.session is not None:
            touched[old.session].changed = True
        if new.session is not None:
            each = touched[new.session]
            if old is None:
                each.added.append(_seen(new, tools[new.tool]))
            else:
                each.changed = True
    return touched


def _seen(row: CallRow, tool: str) -> Seen:
    return Seen((row.at, row.call_index, row.order), step_of(row, tool), row.agent)


def _continued(kept: Session, touched: Touched, governing: Governing) -> Standing | None:
    """Where the session stands with the new calls; None when it has to be read anew."""
    calls = sorted(touched.added, key=lambda call: call.place)
    if not kept.tally or kept.first_at is None or kept.agent_id is None:
        return None
    state: dict[str, Any] = json.loads(kept.tally)
    last, earlier = _place_of(state["last"]), state["earlier"]
    if calls[0].place <= last or any(call.step.version != kept.version_id for call in calls):
        return None
    tally = SessionTally.resumed(
        state["tally"],
        governing.limits_of(kept.version_id),
        {version: governing.limits_of(version) for version in earlier},
    )
    if tally is None:
        return None
    standing = Standing(
        tally, kept.version_id, earlier, kept.first_at, last, kept.agent_id, kept.artifacts
    )
    standing.go_on(calls)
    return standing


def _read_anew(calls: list[Seen], governing: Governing) -> Standing:
    """All calls of a session, in order. Its limits are those that governed the last one."""
    first, version = calls[0], calls[-1].step.version
    governed = {call.step.version for call in calls} - {None, version}
    earlier = sorted(number for number in governed if number is not None)
    tally = SessionTally(
        governing.limits_of(version),
        {number: governing.limits_of(number) for number in earlier},
    )
    standing = Standing(tally, version, earlier, first.place[0], first.place, first.agent, 0)
    standing.go_on(calls)
    return standing


def _row(session: int, standing: Standing) -> tuple[Any, ...]:
    tally = standing.tally
    at, index, order = standing.last
    state = {
        "last": [at.isoformat(), index, order],
        "earlier": standing.earlier,
        "tally": tally.state(),
    }
    return (
        session,
        standing.agent,
        standing.version,
        standing.first_at,
        at,
        tally.attempts,
        tally.executions,
        tally.successes,
        tally.failures,
        tally.unknown,
        tally.denied,
        tally.open,
        tally.disagreements,
        standing.artifacts,
        json.dumps(state, separators=(",", ":")),
    )


def _place_of(kept: list[Any]) -> Place:
    return datetime.fromisoformat(kept[0]).astimezone(UTC), kept[1], kept[2]


def _all_calls(sessions: list[int]) -> dict[int, list[Seen]]:
    found: dict[int, list[Seen]] = defaultdict(list)
    rows = (
        Call.objects.filter(session__in=sessions)
        .order_by("session", "at", "call_index", "order")
        .values_list("session", "at", "call_index", "order", "agent", "tool__name", *STEP_COLUMNS)
    )
    for session, at, index, order, agent, tool, *rest in rows:
        found[session].append(Seen((at, index, order), step_from(tool, *rest), agent))
    return found

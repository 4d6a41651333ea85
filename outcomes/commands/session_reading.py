"""Sessions, read on with the calls that came, or anew where something earlier changed."""

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from governance.queries import Governing
from outcomes import bulk
from outcomes.codec import CallRow, step_of
from outcomes.commands import names
from outcomes.commands.counting import Change
from outcomes.domain.repeats import AskedCall
from outcomes.models import Session
from outcomes.queries.session_standing import Seen, Standing, calls_of, read_anew, standing_of

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

OLDER_AT_ONCE = 200  # of one transaction: of the first sessions with so many calls together
OLDER_CALLS_AT_ONCE = 2_000
LOOK_EVERY = 60.0  # seconds: an older worker may still be at work
_NO_LOOP = (0, None, None, None)
# Of a session whose calls all turned out to be another's: it counts nothing and is not listed.
LEFT = (None, None, None, None, *[0] * 9, "", "", 0, 0, 0, None, None, None, True, "")

_look_again = float("-inf")


class SessionGone(Exception):
    """A session was removed while its calls were being settled; they are settled anew."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a claim has learnt of names, by the ids of their rows."""

    tools: dict[int, str]
    unnamed: frozenset[int]  # the agents of whom nobody said a name


@dataclass(slots=True)
class Touched:
    added: list[Seen] = field(default_factory=list)
    changed: bool = False


def read_sessions(changes: Iterable[Change], governing: Governing, known: Known) -> None:
    touched = _touched(changes, known)
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
    rows += _read_anew(anew, governing)
    bulk.update(Session, COLUMNS, sorted(rows, key=lambda row: row[0]))


def read_older_now_and_then() -> bool:
    """Called when nothing waits to be settled. True when there is more to read anew at once."""
    global _look_again
    if time.monotonic() < _look_again:
        return False
    if read_older():
        return True
    _look_again = time.monotonic() + LOOK_EVERY
    return False


def read_older() -> int:
    """Reads some sessions anew that older code has read, and tells how many."""
    older = Session.objects.filter(is_read=False).order_by("id")
    if not older.exists():
        return 0
    with transaction.atomic():
        rows = list[tuple[Any, ...]]()
        anew, calls = list[int](), 0
        kept = older.select_for_update(skip_locked=True).values_list("id", "attempts")
        for session, attempts in kept[:OLDER_AT_ONCE]:
            if attempts:
                anew.append(session)
            else:
                rows.append((session, *LEFT))  # it may be leaving, and has calls to go
            calls += attempts
            if calls >= OLDER_CALLS_AT_ONCE:
                break
        rows += _read_anew(anew, Governing([]))
        bulk.update(Session, COLUMNS, sorted(rows, key=lambda row: row[0]))
    return len(rows)


def _read_anew(sessions: list[int], governing: Governing) -> list[tuple[Any, ...]]:
    calls = calls_of(sessions)
    return [
        _row(session, read_anew(calls[session], governing))
        if session in calls
        else (session, *LEFT)
        for session in sessions
    ]


def _touched(changes: Iterable[Change], known: Known) -> dict[int, Touched]:
    touched: dict[int, Touched] = defaultdict(Touched)
    for old, new in changes:
        if old is not None and old.session is not None:
            touched[old.session].changed = True
        if new.session is not None:
            each = touched[new.session]
            if old is None:
                each.added.append(_seen(new, known))
            else:
                each.changed = True
    return touched


def _seen(row: CallRow, known: Known) -> Seen:
    place, step = (row.at, row.call_index, row.order), step_of(row, known.tools[row.tool])
    asked = AskedCall(
        row.id,
        row.at,
        row.turn_id,
        row.tool,
        row.kind,
        row.arguments,
        row.idempotent,
        row.blocks_tool,
    )
    return Seen(place, step, asked, row.agent, row.agent not in known.unnamed)


def _continued(kept: Session, touched: Touched, governing: Governing) -> Standing | None:
    """Where the session stands with the new calls; None when it has to be read anew."""
    calls = sorted(touched.added, key=lambda call: call.place)
    if not kept.attempts:
        return read_anew(calls, governing)  # a new session: these are all of its calls
    standing = standing_of(kept, governing)
    if (
        standing is None
        or calls[0].place <= standing.last
        or any(call.step.version != standing.version for call in calls)
    ):
        return None
    standing.go_on(calls)
    return standing


def _row(session: int, standing: Standing) -> tuple[Any, ...]:
    tally, waste = standing.tally, standing.repeats.waste
    loop = standing.repeats.longest_loop()
    has = (
        bool(tally.denied) * Session.Has.DENIALS
        | bool(tally.disagreements) * Session.Has.DISAGREEMENTS
        | bool(standing.artifacts) * Session.Has.ARTIFACTS
        | bool(waste) * Session.Has.WASTE
    )
    return (
        session,
        standing.agent,
        standing.version,
        standing.first_at,
        standing.last[0],
        tally.attempts,
        tally.executions,
        tally.successes,
        tally.failures,
        tally.unknown,
        tally.denied,
        tally.open,
        tally.disagreements,
        standing.artifacts,
        tally.stopped(),
        tally.limit_name(),
        waste,
        has,
        *((loop.times, loop.first_at, loop.last_at, loop.call) if loop else _NO_LOOP),
        True,
        standing.kept(),
    )

"""Sessions, read on with the calls that came, or anew where something earlier changed."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from governance.queries import Governing
from outcomes import bulk
from outcomes.codec import CallRow, step_of
from outcomes.commands import names
from outcomes.commands.counting import Change
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
    "tally",
)

# Of a session whose calls all turned out to be another's: it counts nothing and is not listed.
LEFT = (None, None, None, None, *[0] * 9, "", "")


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
    calls = calls_of(anew)
    for session in anew:
        has_any = session in calls
        rows.append(
            _row(session, read_anew(calls[session], governing)) if has_any else (session, *LEFT)
        )
    bulk.update(Session, COLUMNS, sorted(rows, key=lambda row: row[0]))


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
    return Seen(place, step, row.agent, row.agent not in known.unnamed)


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
    tally = standing.tally
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
        standing.kept(),
    )

"""Many agents' increments in one transaction: a commit costs more than all the rest of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from governance.people.auth import Access
from outcomes.models.statements import ON_POSTGRESQL, Statement, Steps
from outcomes.session_store.commands.session_store import COUNT_UP, row_of

_RETURNING = "environment_id, digest, number"
_EACH = COUNT_UP.replace("RETURNING number", f"RETURNING {_RETURNING}")
_ALL = _EACH.replace(
    "VALUES (%s, %s, %s, %s, %s, %s, %s)",
    "SELECT * FROM unnest(%b::bigint[], %b::bytea[], %b::text[], %b::bytea[], %b::bigint[],"
    " %b::bytea[], %s::date[])",
)
_NUMBER = 4  # its place in a row

Place = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Increment:
    """Of a whole amount from 1 up."""

    key: str
    amount: int
    access: Access


def counting_up(wanted: Sequence[Increment]) -> Steps[list[int | None]]:
    """What each counter is by then, as if they had been counted up one after the other.

    None: this one was not counted; alone it will say why.
    """
    if len(wanted) == 1:  # as most are
        row = _row_of(wanted[0])
        told = yield Statement(_EACH, [row], writes=True)
        return [told[0][-1] if told else None]
    rows: dict[Place, list[Any]] = {}
    places = []
    for each in wanted:
        row = _row_of(each)
        place = row[0], row[1]
        places.append(place)
        if place in rows:  # no statement may touch a row twice
            rows[place][_NUMBER] += each.amount
        else:
            rows[place] = row
    # Sorted: two processes that count the same keys never wait for each other in a circle.
    written = yield _counted_up([rows[place] for place in sorted(rows)])
    counted = {(environment, bytes(digest)): number for environment, digest, number in written}
    found: list[int | None] = []
    for each, place in zip(wanted, places, strict=True):
        if place not in counted:
            found.append(None)
            continue
        rows[place][_NUMBER] -= each.amount
        found.append(counted[place] - rows[place][_NUMBER])
    return found


def _row_of(wanted: Increment) -> list[Any]:
    return row_of(wanted.key, wanted.amount, None, wanted.access)


def _counted_up(rows: list[list[Any]]) -> Statement:
    # Those of one counter are one row, and PostgreSQL takes a third longer over arrays.
    if ON_POSTGRESQL and len(rows) > 1:
        return Statement(_ALL, [[list(column) for column in zip(*rows, strict=True)]], writes=True)
    return Statement(_EACH, rows, writes=True)

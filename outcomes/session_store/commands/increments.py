"""Many agents' increments in one transaction: a commit costs more than all the rest of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from governance.people.auth import Access
from outcomes.database import HAS_ARRAYS
from outcomes.database.statements import Query, Row, Statement
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
    """An increment by a whole amount from 1 up."""

    key: str
    amount: int
    access: Access


def increment_all(increments: Sequence[Increment]) -> Query[list[int | None]]:
    """Values of each counter, as if the increments had run one after the other.

    None: this one was not counted; `count_up` raises its error.
    """
    rows: dict[Place, list[Any]] = {}
    places: list[Place] = []
    for increment in increments:
        row = _row_of(increment)
        place = row[0], row[1]
        places.append(place)
        if place in rows:  # no statement may touch a row twice
            rows[place][_NUMBER] += increment.amount
        else:
            rows[place] = row

    def read(written: list[Row]) -> list[int | None]:
        totals = {(environment, bytes(digest)): total for environment, digest, total in written}
        results: list[int | None] = []
        for increment, place in zip(reversed(increments), reversed(places), strict=True):
            results.append(totals.get(place))
            if place in totals:
                totals[place] -= increment.amount
        return results[::-1]

    # Sorted: two processes that count the same keys never wait for each other in a circle.
    return Query(_counting_up([rows[place] for place in sorted(rows)]), read)


def _row_of(increment: Increment) -> list[Any]:
    return row_of(increment.key, increment.amount, None, increment.access)


def _counting_up(rows: list[list[Any]]) -> Statement:
    # PostgreSQL takes a third longer over arrays, and one counter is one row.
    if HAS_ARRAYS and len(rows) > 1:
        return Statement(_ALL, [[list(column) for column in zip(*rows, strict=True)]], writes=True)
    return Statement(_EACH, rows, writes=True)

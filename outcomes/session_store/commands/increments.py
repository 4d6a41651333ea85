"""Increments of many agents in one transaction: the commit is the most expensive part."""

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
_NUMBER = 4  # its index in a row

Place = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Increment:
    """Increment by an integer of at least 1."""

    key: str
    amount: int
    access: Access


def increment_all(increments: Sequence[Increment]) -> Query[list[int | None]]:
    """Values of each counter, as if the increments had run one after another.

    None: this one was not counted, and `count_up` will raise its error.
    """
    rows: dict[Place, list[Any]] = {}
    places: list[Place] = []
    for increment in increments:
        row = _row_of(increment)
        place = row[0], row[1]
        places.append(place)
        if place in rows:  # a statement must not update a row twice
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

    # Sorted, so that two processes that update the same keys can't deadlock.
    return Query(_counting_up([rows[place] for place in sorted(rows)]), read)


def _row_of(increment: Increment) -> list[Any]:
    return row_of(increment.key, increment.amount, None, increment.access)


def _counting_up(rows: list[list[Any]]) -> Statement:
    # Arrays take PostgreSQL a third longer, and a single row needs none.
    if HAS_ARRAYS and len(rows) > 1:
        return Statement(_ALL, [[list(column) for column in zip(*rows, strict=True)]], writes=True)
    return Statement(_EACH, rows, writes=True)

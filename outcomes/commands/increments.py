"""Many agents' increments in one transaction: a commit costs more than all the rest of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from governance.auth import Access
from outcomes.commands.session_store import COUNT_UP, row_of
from outcomes.models.statements import Row, write_columns, write_each, write_row

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


def count_all_up(wanted: Sequence[Increment]) -> list[int | None]:
    """What each counter is by then, as if they had been counted up one after the other.

    None: this one was not counted; alone it will say why.
    """
    rows: dict[Place, list[Any]] = {}
    places = []
    for each in wanted:
        row = row_of(each.key, each.amount, None, each.access)
        place = row[0], row[1]
        places.append(place)
        if place in rows:  # no statement may touch a row twice
            rows[place][_NUMBER] += each.amount
        else:
            rows[place] = row
    # Sorted: two processes that count the same keys never wait for each other in a circle.
    counted = {
        (environment, bytes(digest)): number
        for environment, digest, number in _write([rows[place] for place in sorted(rows)])
    }
    found: list[int | None] = []
    for each, place in zip(wanted, places, strict=True):
        if place not in counted:
            found.append(None)
            continue
        rows[place][_NUMBER] -= each.amount
        found.append(counted[place] - rows[place][_NUMBER])
    return found


def _write(rows: list[list[Any]]) -> list[Row]:
    if connection.vendor == "postgresql":
        if len(rows) == 1:  # most are alone, and PostgreSQL takes a third longer over arrays
            counted = write_row(_EACH, rows[0])
            return [] if counted is None else [counted]
        return write_columns(_ALL, [list(column) for column in zip(*rows, strict=True)])
    return write_each(_EACH, rows)

"""Bytes per row including indexes, for estimates."""

from functools import cache
from typing import Final

from django.db import connection, models

from outcomes.database import IS_SERVER
from outcomes.models import Call, Event

# Measured on SQLite, which has no such statistics.
_USUAL: Final = {"outcomes_call": 454, "outcomes_event": 765}
_OTHERS: Final = 200
FEWEST: Final = 1_000  # rows; with fewer, the server's statistics are unreliable

_SIZE: Final = """
SELECT pg_total_relation_size(oid), reltuples FROM pg_class WHERE oid = to_regclass(%s)
"""


def bytes_per_row(model: type[models.Model]) -> int:
    table = model._meta.db_table
    usual = _USUAL.get(table, _OTHERS)
    if not IS_SERVER:
        return usual
    with connection.cursor() as cursor:
        cursor.execute(_SIZE, [table])
        size, rows = cursor.fetchone()
    return int(size / rows) if rows >= FEWEST else usual


@cache
def call_bytes() -> int:
    """Bytes of a call with its event."""
    return bytes_per_row(Call) + bytes_per_row(Event)

"""Statements at the driver's own speed, for what agents wait for all the time.

Django's cursor costs as much again as the statement, and asks a kept connection whether it lives
before the first statement of every request.
"""

import threading
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, transaction

ASK_AGAIN = 1.0  # seconds; a connection that answered a moment ago needs no asking

Row = tuple[Any, ...]
_asked = threading.local()  # as connections are: one for each thread


def read_row(statement: str, values: Sequence[Any]) -> Row | None:
    if connection.vendor == "postgresql":
        return _row_of(_on_postgres(statement, values))
    return _row_of(read_each(statement, [values]))


def read_rows(statement: str, values: Sequence[Any]) -> list[Row]:
    """PostgreSQL's way: one statement, which may take arrays."""
    return _on_postgres(statement, values)


def read_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """SQLite's way: the statement once for each of these."""
    _be_alive()
    with connection.wrap_database_errors:
        return _on_sqlite(statement, rows)


def write_row(statement: str, values: Sequence[Any]) -> Row | None:
    """The statement must be the whole of what is written."""
    if connection.vendor == "postgresql":
        return _row_of(_on_postgres(statement, values))
    return _row_of(write_each(statement, [values]))


def write_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """The statement once for each of these, all in one transaction; the rows that it returned."""
    # SQLite's writers queue for a transaction; a statement without one sleeps and polls instead,
    # and some starve.
    with transaction.atomic(), connection.wrap_database_errors:
        return _on_sqlite(statement, rows)


def write_columns(statement: str, columns: Sequence[Sequence[Any]]) -> list[Row]:
    """PostgreSQL's way: one statement that takes whole columns as arrays."""
    return _on_postgres(statement, columns)


def _on_sqlite(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    execute = connection.connection.execute
    written = _with_question_marks(statement)
    return [row for values in rows for row in execute(written, values).fetchall()]


def _on_postgres(statement: str, values: Sequence[Any]) -> list[Row]:
    import psycopg  # noqa: PLC0415 - not there to be loaded where SQLite serves

    _be_alive()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()


def _row_of(rows: Sequence[Row]) -> Row | None:
    return rows[0] if rows else None


@cache
def _with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?")


def _be_alive() -> None:
    now = time.monotonic()
    if now > getattr(_asked, "at", 0.0) + ASK_AGAIN:
        connection.close_if_health_check_failed()
        _asked.at = now
    connection.ensure_connection()

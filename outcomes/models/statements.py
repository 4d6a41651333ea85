"""Statements at the driver's own speed, for what agents wait for all the time.

Django's cursor costs as much again as the statement, and asks a kept connection whether it lives
before the first statement of every request.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection, transaction

# Told by the settings: on the event loop Django makes a connection anew for each request that asks
# one what it is.
ON_POSTGRESQL = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
CHECK_AFTER = 1.0  # seconds; a connection that answered a moment ago needs no check

Row = tuple[Any, ...]
Result = TypeVar("Result")
_checked = threading.local()  # as connections are: one for each thread


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    rows: Sequence[Sequence[Any]]  # of values: SQLite runs once for each, PostgreSQL takes one
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Query(Generic[Result]):
    """A statement and how to read its rows; a thread or the event loop runs it."""

    statement: Statement
    read: Callable[[list[Row]], Result]


def run_query(query: Query[Result]) -> Result:
    return query.read(_rows_of(query.statement))


def _rows_of(statement: Statement) -> list[Row]:
    if ON_POSTGRESQL:
        (values,) = statement.rows
        return _on_postgres(statement.text, values)
    return (write_each if statement.writes else read_each)(statement.text, statement.rows)


def read_row(statement: str, values: Sequence[Any]) -> Row | None:
    if ON_POSTGRESQL:
        return _row_of(_on_postgres(statement, values))
    return _row_of(read_each(statement, [values]))


def read_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """SQLite's way: the statement once for each of these."""
    _be_alive()
    with connection.wrap_database_errors:
        return _on_sqlite(statement, rows)


def write_row(statement: str, values: Sequence[Any]) -> Row | None:
    """The statement must be the whole of what is written."""
    if ON_POSTGRESQL:
        return _row_of(_on_postgres(statement, values))
    return _row_of(write_each(statement, [values]))


def write_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """The statement once for each of these, all in one transaction; the rows that it returned."""
    # SQLite's writers queue for a transaction; a statement without one sleeps and polls instead,
    # and some starve.
    with transaction.atomic(), connection.wrap_database_errors:
        return _on_sqlite(statement, rows)


def _on_sqlite(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    execute = connection.connection.execute
    written = with_question_marks(statement)
    return [row for values in rows for row in execute(written, values).fetchall()]


def _on_postgres(statement: str, values: Sequence[Any]) -> list[Row]:
    import psycopg  # noqa: PLC0415 - not there to be loaded where SQLite serves

    _be_alive()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()


def _row_of(rows: Sequence[Row]) -> Row | None:
    return rows[0] if rows else None


@cache
def with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?")


def _be_alive() -> None:
    now = time.monotonic()
    if now > getattr(_checked, "at", 0.0) + CHECK_AFTER:
        # Django asks once a request; a thread serves many. The stubs do not know the name.
        connection.health_check_done = False  # type: ignore[attr-defined]
        connection.close_if_health_check_failed()
        _checked.at = now
    connection.ensure_connection()

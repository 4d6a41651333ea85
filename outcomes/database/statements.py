"""Statements at the driver's own speed, for what agents wait for all the time.

Django's cursor costs as much again as the statement, and asks a kept connection whether it lives
before the first statement of every request.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection, transaction

from outcomes.database import IS_SERVER, run_on_driver

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
    statement = query.statement
    run = write_each if statement.writes else read_each
    return query.read(run(statement.text, statement.rows))


def read_row(statement: str, values: Sequence[Any]) -> Row | None:
    return _first(read_each(statement, [values]))


def read_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    _ensure_alive()
    with connection.wrap_database_errors:
        return run_on_driver(statement, rows)


def write_row(statement: str, values: Sequence[Any]) -> Row | None:
    """The statement must be all that is written."""
    return _first(write_each(statement, [values]))


def write_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """The statement for each of these, all in one transaction; the rows that it returned."""
    if IS_SERVER:
        return read_each(statement, rows)  # one statement, which is a transaction
    # SQLite's writers queue for a transaction; a statement without one sleeps and polls instead,
    # and some starve.
    with transaction.atomic(), connection.wrap_database_errors:
        return run_on_driver(statement, rows)


def _first(rows: Sequence[Row]) -> Row | None:
    return rows[0] if rows else None


def _ensure_alive() -> None:
    now = time.monotonic()
    if now > getattr(_checked, "at", 0.0) + CHECK_AFTER:
        # Django asks once a request; a thread serves many. The stubs do not know the name.
        connection.health_check_done = False  # type: ignore[attr-defined]
        connection.close_if_health_check_failed()
        _checked.at = now
    connection.ensure_connection()

"""Statements at the driver's own speed, for the requests that agents wait for most often.

Django's cursor doubles the cost of such a statement, and checks a persistent connection before the
first statement of every request.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection, transaction

from outcomes.database import IS_SERVER, run_on_driver

CHECK_AFTER = 1.0  # seconds; a connection that worked this recently needs no check

Row = tuple[Any, ...]
Result = TypeVar("Result")
_checked = threading.local()  # one per thread, like connections


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    rows: Sequence[Sequence[Any]]  # parameters: on SQLite any number of rows, on PostgreSQL one
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Query(Generic[Result]):
    """Statement and a reader for its rows, run by a thread or by the event loop."""

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
    """Execute a statement that is the only write of its transaction. Returns its first row."""
    return _first(write_each(statement, [values]))


def write_each(statement: str, rows: Sequence[Sequence[Any]]) -> list[Row]:
    """Execute a statement for each row of parameters in one transaction. Returns result rows."""
    if IS_SERVER:
        return read_each(statement, rows)  # a single statement is a transaction
    # SQLite's writers queue for a transaction. A statement without one sleeps and polls instead,
    # and some starve.
    with transaction.atomic(), connection.wrap_database_errors:
        return run_on_driver(statement, rows)


def _first(rows: Sequence[Row]) -> Row | None:
    return rows[0] if rows else None


def _ensure_alive() -> None:
    now = time.monotonic()
    if now > getattr(_checked, "at", 0.0) + CHECK_AFTER:
        # Django checks once per request, but a thread serves many. The stubs lack this attribute.
        connection.health_check_done = False  # type: ignore[attr-defined]
        connection.close_if_health_check_failed()
        _checked.at = now
    connection.ensure_connection()

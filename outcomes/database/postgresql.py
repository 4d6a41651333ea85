"""PostgreSQL: a server that works while we do, with several writers and arrays."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.utils import CursorWrapper
from django.db.models.functions import Left

NAME: str = "PostgreSQL"
IS_SERVER: bool = True  # has several writers, and works while our process does something else
HAS_ARRAYS: bool = True
HAS_LATERAL: bool = True  # joins that read the row before them
ITEMS_PER_CLAIM: int = 4_000  # of one settling transaction, more or less
ITEMS_PER_LARGE_CLAIM: int = 0  # of one when much waits, at most
CALLS_PER_COMMIT: int = 500  # of a reclassification
INDEXED_PER_COMMIT: int = 500  # calls of the search index
CLOCK: str = "clock_timestamp()"
NO_BYTES: str = "CAST(NULL AS bytea)"
BEGINNING: str = "LEFT(%(expressions)s, {})"  # as the index of beginnings says it
BACKUP_LOCK = 0x6261_636B  # of the advisory locks, the one of a backup
KEEP_ROWS: str = "FOR KEY SHARE"  # ends a SELECT whose rows must not be removed meanwhile

Row = TypeVar("Row", bound=models.Model)
Condition = tuple[str, list[Any]]  # its text and its values


def one_of_numbers(numbers: Sequence[int]) -> Condition:
    return "= ANY(%s)", [list(numbers)]


def one_of_digests(digests: Sequence[bytes]) -> Condition:
    return "= ANY(%s)", [list(digests)]


def one_of_many_digests(digests: Sequence[bytes]) -> Condition:
    """As one text: the driver takes longer over each element of an array."""
    text = ",".join(digest.hex() for digest in digests)
    return "IN (SELECT decode(unnest(string_to_array(%s, ',')), 'hex'))", [text]


def pairs(rows: Sequence[tuple[int, int]]) -> Condition:
    """A source with the columns `column1` and `column2`."""
    source = "(SELECT unnest(%s::bigint[]) AS column1, unnest(%s::bigint[]) AS column2)"
    return source, [[row[0] for row in rows], [row[1] for row in rows]]


def one_of_selected(query: str) -> str:
    """As an array: a subquery would be joined, row by row."""
    return f"= ANY(ARRAY({query}))"


def bucket(column: str, borders: Sequence[int]) -> str:
    """Number of the borders that a value has reached."""
    return f"width_bucket({column}, ARRAY[{', '.join(map(str, borders))}])"


def joined_in_turn(table: str, name: str, condition: str) -> str:
    """Rows of the table for each row before it in the join, by an index."""
    return f"LATERAL (SELECT * FROM {table} WHERE {condition} OFFSET 0) AS {name} WHERE TRUE"


def using_index(name: str) -> str:
    """It chooses well by itself."""
    return ""


def starting_with(
    rows: models.QuerySet[Row], field: str, text: str, indexed: int
) -> models.QuerySet[Row]:
    """By the index of beginnings, which holds so many characters."""
    begins = rows.alias(begins=Left(field, indexed))
    return begins.filter(begins__startswith=text[:indexed])  # type: ignore[return-value]


def try_lock(number: int) -> bool:
    """An advisory lock, until the transaction ends; False when another process holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])


def changes_by_others() -> int:
    """Always the same: who writes here holds up no other."""
    return 0


def limit_statements(seconds: float) -> None:
    """Until the transaction ends, no statement takes longer."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {int(seconds * 1_000)}")


def run_on_driver(statement: str, rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Runs it once: with arrays, one row of values is enough."""
    import psycopg  # noqa: PLC0415 - loaded only where PostgreSQL serves

    (values,) = rows
    with psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()


@contextmanager
def removals_held_back(patience: float) -> Iterator[bool]:
    """No artifact is removed meanwhile; False when another backup runs for so many seconds.

    The lock is of a transaction on a connection of its own: a pooler may give each of ours another
    session.
    """
    ends = time.monotonic() + patience
    holding = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with holding.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            while not (is_held := _try_backup_lock(cursor)) and time.monotonic() < ends:
                time.sleep(0.1)
        yield is_held
    finally:
        holding.close()


def may_remove_artifacts() -> bool:
    """False while a backup reads them; none begins before this transaction has ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock_shared(%s)", [BACKUP_LOCK])
        return bool(cursor.fetchone()[0])


def durability() -> list[str]:
    """Settings that are off, and without which a crash loses what was committed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE setting = 'off'"
            " AND name IN ('fsync', 'synchronous_commit', 'full_page_writes') ORDER BY name"
        )
        return [name for (name,) in cursor.fetchall()]


def _try_backup_lock(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [BACKUP_LOCK])
    return bool(cursor.fetchone()[0])

"""PostgreSQL: a separate server process with several writers and array parameters."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.utils import CursorWrapper
from django.db.models.functions import Left

NAME: str = "PostgreSQL"
IS_SERVER: bool = True  # several writers; runs in parallel with our process
HAS_ARRAYS: bool = True
HAS_LATERAL: bool = True  # joins that refer to the preceding row
ITEMS_PER_CLAIM: int = 4_000  # of one settling transaction, approximately
ITEMS_PER_LARGE_CLAIM: int = 0  # maximum while the backlog is large
CALLS_PER_COMMIT: int = 500  # of a reclassification
INDEXED_PER_COMMIT: int = 500  # calls of the search index
CLOCK: str = "clock_timestamp()"
NO_BYTES: str = "CAST(NULL AS bytea)"
BEGINNING: str = "LEFT(%(expressions)s, {})"  # the expression of prefix indexes
BACKUP_LOCK = 0x6261_636B  # key of the backup's advisory lock
KEEP_ROWS: str = "FOR KEY SHARE"  # at the end of a SELECT whose rows must not be removed meanwhile

Row = TypeVar("Row", bound=models.Model)
Condition = tuple[str, list[Any]]  # SQL and its parameters


def one_of_numbers(numbers: Sequence[int]) -> Condition:
    return "= ANY(%s)", [list(numbers)]


def one_of_digests(digests: Sequence[bytes]) -> Condition:
    return "= ANY(%s)", [list(digests)]


def one_of_many_digests(digests: Sequence[bytes]) -> Condition:
    """One of many digests, sent as one text: the driver is slower with array elements."""
    text = ",".join(digest.hex() for digest in digests)
    return "IN (SELECT decode(unnest(string_to_array(%s, ',')), 'hex'))", [text]


def pairs(rows: Sequence[tuple[int, int]]) -> Condition:
    """Rows as a table with the columns `column1` and `column2`."""
    source = "(SELECT unnest(%s::bigint[]) AS column1, unnest(%s::bigint[]) AS column2)"
    return source, [[row[0] for row in rows], [row[1] for row in rows]]


def one_of_selected(query: str) -> str:
    """Selected as an array: a subquery would be joined row by row."""
    return f"= ANY(ARRAY({query}))"


def bucket(column: str, borders: Sequence[int]) -> str:
    """Index of the bucket of a value: the number of borders it has reached."""
    return f"width_bucket({column}, ARRAY[{', '.join(map(str, borders))}])"


def joined_in_turn(table: str, name: str, condition: str) -> str:
    """Lateral join: for each preceding row, look up rows of the table by index."""
    return f"LATERAL (SELECT * FROM {table} WHERE {condition} OFFSET 0) AS {name} WHERE TRUE"


def using_index(name: str) -> str:
    """Nothing: PostgreSQL chooses the index itself."""
    return ""


def starting_with(
    rows: models.QuerySet[Row], field: str, text: str, indexed: int
) -> models.QuerySet[Row]:
    """Filter by prefix, with the index of the first `indexed` characters."""
    begins = rows.alias(begins=Left(field, indexed))
    return begins.filter(begins__startswith=text[:indexed])  # type: ignore[return-value]


def try_lock(number: int) -> bool:
    """Take an advisory lock until the transaction ends. False if another process holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])


def changes_by_others() -> int:
    """Constant: on PostgreSQL, writers don't block each other."""
    return 0


def limit_statements(seconds: float) -> None:
    """Set a timeout for statements until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {int(seconds * 1_000)}")


def run_on_driver(statement: str, rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Execute the statement once: with arrays, one row of parameters is enough."""
    import psycopg  # noqa: PLC0415 - loaded only where PostgreSQL serves

    (values,) = rows
    with psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), values).fetchall()


@contextmanager
def removals_held_back(patience: float) -> Iterator[bool]:
    """Prevent the removal of artifacts. False if another backup outlasts `patience` seconds.

    The lock belongs to a transaction on a separate connection: a pooler may give each of our
    transactions a different session.
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
    """False while a backup reads artifacts. No backup starts before this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock_shared(%s)", [BACKUP_LOCK])
        return bool(cursor.fetchone()[0])


def durability() -> list[str]:
    """Names of settings that are off but needed to keep committed data after a crash."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings WHERE setting = 'off'"
            " AND name IN ('fsync', 'synchronous_commit', 'full_page_writes') ORDER BY name"
        )
        return [name for (name,) in cursor.fetchall()]


def _try_backup_lock(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [BACKUP_LOCK])
    return bool(cursor.fetchone()[0])

"""SQLite: a library in our process with one writer and no array parameters."""

import fcntl
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import IO, Any, TypeVar

from django.conf import settings
from django.db import connection, models, transaction

NAME: str = "SQLite"
IS_SERVER: bool = False  # one writer; runs in our process
HAS_ARRAYS: bool = False
HAS_LATERAL: bool = False
ITEMS_PER_CLAIM: int = 1_000  # of one settling transaction, approximately
# A claim has a fixed cost. With a large backlog, more items share it, at the price of longer waits
# for posts: a claim takes half of the backlog, up to this many items.
ITEMS_PER_LARGE_CLAIM: int = 3_000
CALLS_PER_COMMIT: int = 100  # of a reclassification
INDEXED_PER_COMMIT: int = 5  # calls of the search index; agents wait for the lock meanwhile
CLOCK: str = "strftime('%Y-%m-%dT%H:%M:%f', 'now')"
NO_BYTES: str = "CAST(NULL AS blob)"
BEGINNING: str = "SUBSTR(%(expressions)s, 1, {})"  # the expression of prefix indexes
KEEP_ROWS: str = ""  # no other process writes

FULL = 2  # of PRAGMA synchronous
LAST_CHARACTER = "\U0010ffff"

Row = TypeVar("Row", bound=models.Model)
Condition = tuple[str, list[Any]]  # SQL and its parameters


def one_of_numbers(numbers: Sequence[int]) -> Condition:
    return "IN (SELECT value FROM json_each(%s))", [json.dumps(list(numbers))]


def one_of_digests(digests: Sequence[bytes]) -> Condition:
    return f"IN ({', '.join(['%s'] * len(digests))})", list(digests)


one_of_many_digests = one_of_digests


def pairs(rows: Sequence[tuple[int, int]]) -> Condition:
    """Rows as a table with the columns `column1` and `column2`."""
    return f"(VALUES {', '.join(['(%s, %s)'] * len(rows))})", [n for row in rows for n in row]


def one_of_selected(query: str) -> str:
    return f"IN ({query})"


def bucket(column: str, borders: Sequence[int], first: int = 0) -> str:
    """Index of the bucket of a value: the number of borders it has reached, by binary search."""
    if not borders:
        return str(first)
    middle = len(borders) // 2
    below = bucket(column, borders[:middle], first)
    above = bucket(column, borders[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {column} < {borders[middle]} THEN {below} ELSE {above} END"


def joined_in_turn(table: str, name: str, condition: str) -> str:
    """Lateral join: rows of the table for each preceding row. SQLite uses the index itself."""
    return f"{table} AS {name} WHERE {condition}"


def using_index(name: str) -> str:
    """Index hint: otherwise SQLite builds a temporary index for each query."""
    return f"INDEXED BY {name}"


def starting_with(
    rows: models.QuerySet[Row], field: str, text: str, indexed: int
) -> models.QuerySet[Row]:
    """Filter by prefix, with the index of full values."""
    bounds = {f"{field}__gte": text, f"{field}__lt": text + LAST_CHARACTER}
    return rows.filter(**bounds)


def try_lock(number: int) -> bool:
    """Always true: a writing transaction already excludes all others."""
    return True


def changes_by_others() -> int:
    """Number that changes after a commit by another connection."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return int(cursor.fetchone()[0])


def limit_statements(seconds: float) -> None:
    """Nothing: statements only ever wait for the lock, which has a timeout."""


def run_on_driver(statement: str, rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Execute the statement once for each row of parameters."""
    execute = connection.connection.execute
    written = with_question_marks(statement)
    return [row for values in rows for row in execute(written, values).fetchall()]


@cache
def with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?")


@contextmanager
def removals_held_back(patience: float) -> Iterator[bool]:
    """Prevent the removal of artifacts. False if another backup outlasts `patience` seconds."""
    ends = time.monotonic() + patience
    with _backup_lock() as lock:
        while not (is_held := _try_lock(lock, fcntl.LOCK_EX)) and time.monotonic() < ends:
            time.sleep(0.1)
        with transaction.atomic():
            pass  # an earlier removal has now committed, since writers take turns
        yield is_held


def may_remove_artifacts() -> bool:
    """False while a backup reads artifacts. Call it in a transaction: a backup waits for that."""
    with _backup_lock() as lock:
        return _try_lock(lock, fcntl.LOCK_SH)


def durability() -> list[str]:
    """Names of settings that are off but needed to keep committed data after a crash."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        (level,) = cursor.fetchone()
    return [] if level >= FULL else ["synchronous"]


def _backup_lock() -> IO[bytes]:
    return (settings.DATA / "backup.lock").open("ab")


def _try_lock(lock: IO[bytes], kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

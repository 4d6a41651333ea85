"""SQLite: a library in our process, with one writer and no arrays."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import models

NAME: str = "SQLite"
IS_SERVER: bool = False  # has one writer, and works in our process
ITEMS_PER_CLAIM: int = 1_000  # of one settling transaction, more or less
# A claim has a fixed cost. While much waits it is shared by more items, and posts wait longer for
# the one lock: a claim takes half of what waits, up to so many.
ITEMS_PER_LARGE_CLAIM: int = 3_000
CALLS_PER_COMMIT: int = 100  # of a reclassification
CLOCK: str = "strftime('%Y-%m-%dT%H:%M:%f', 'now')"
NO_BYTES: str = "CAST(NULL AS blob)"
BEGINNING: str = "SUBSTR(%(expressions)s, 1, {})"  # as the index of beginnings says it
KEEP_ROWS: str = ""  # no other process writes

LAST_CHARACTER = "\U0010ffff"

Row = TypeVar("Row", bound=models.Model)
Condition = tuple[str, list[Any]]  # its text and its values


def one_of_numbers(numbers: Sequence[int]) -> Condition:
    return "IN (SELECT value FROM json_each(%s))", [json.dumps(list(numbers))]


def one_of_digests(digests: Sequence[bytes]) -> Condition:
    return f"IN ({', '.join(['%s'] * len(digests))})", list(digests)


one_of_many_digests = one_of_digests


def pairs(rows: Sequence[tuple[int, int]]) -> Condition:
    """A source with the columns `column1` and `column2`."""
    return f"(VALUES {', '.join(['(%s, %s)'] * len(rows))})", [n for row in rows for n in row]


def using_index(name: str) -> str:
    """It would rather create an index of its own for each query."""
    return f"INDEXED BY {name}"


def starting_with(
    rows: models.QuerySet[Row], field: str, text: str, indexed: int
) -> models.QuerySet[Row]:
    """By the index of whole values."""
    bounds = {f"{field}__gte": text, f"{field}__lt": text + LAST_CHARACTER}
    return rows.filter(**bounds)


def try_lock(number: int) -> bool:
    """A transaction that writes is alone already."""
    return True


def limit_statements(seconds: float) -> None:
    """No statement waits but for the lock, and that has a timeout."""

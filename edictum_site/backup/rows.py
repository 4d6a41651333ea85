"""Row counts by table, as stored in a manifest."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeAlias

from django.db import connection

Names: TypeAlias = list[str]


class DumpFailed(Exception):
    """The database could not be read completely; the message is the program's last output."""


class Snapshot(Protocol):
    """A consistent view of all rows."""

    server: int

    def execute(self, query: str) -> Iterable[Any]: ...

    def tables(self) -> Names: ...

    def parts(self) -> Iterator[bytes]: ...


class Target(Protocol):
    """Database to restore into; parts become visible only with the commit."""

    def write(self, part: bytes) -> None: ...

    def commit(self) -> None: ...

    def abort(self) -> None: ...


def row_counts(snapshot: Snapshot) -> dict[str, int]:
    return {name: _first(snapshot.execute(_count(name))) for name in sorted(snapshot.tables())}


def restored_counts(tables: Iterable[str]) -> dict[str, int]:
    """Row counts of the installation's own database."""
    counts = {}
    with connection.cursor() as cursor:
        for name in tables:
            cursor.execute(_count(name))
            counts[name] = int(cursor.fetchone()[0])
    return counts


def _count(table: str) -> str:
    return f"SELECT count(*) FROM {connection.ops.quote_name(table)}"  # noqa: S608 - a table's name


def _first(rows: Iterable[Any]) -> int:
    return int(next(iter(rows))[0])

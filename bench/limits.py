"""Upper limit for settling: time to copy the same rows into empty tables with the same indexes, by
the fastest method of the database and with the same durability.
"""

# ruff: noqa: S608 - the statements are made of this file's own names

import sqlite3
import time
from typing import Any

import psycopg
from psycopg import sql

from bench.stores import Store
from bench.workload import TAG
from edictum_site.database import SQLITE_PRAGMAS

_TABLES = ("outcomes_event", "outcomes_call")
_OF_PART = f"agent_id IN (SELECT id FROM outcomes_agent WHERE substr(name, 1, {TAG}) = "
_CHUNK = 1024 * 1024


class CopyWrong(Exception):
    """The copy and the original have different numbers of rows."""


def seconds_to_copy(store: Store, tag: str) -> tuple[str, float]:
    """Method used, and the seconds it took to copy the events and calls of this part."""
    if store.url:
        return "COPY", _by_copy(store, tag)
    return "executemany", _by_executemany(store, tag)


def _by_copy(store: Store, tag: str) -> float:
    with psycopg.connect(store.url) as connection:
        rows: dict[str, list[bytes]] = {}
        for table in _TABLES:
            query = sql.SQL(
                f"COPY (SELECT * FROM {table} WHERE {_OF_PART}{{}}) ORDER BY id)"
                " TO STDOUT (FORMAT BINARY)"
            ).format(sql.Literal(tag))
            with connection.cursor().copy(query) as out:
                rows[table] = _chunks(out)
        connection.execute("CREATE SCHEMA bench_limit")
        for table in _TABLES:
            like = f"CREATE TABLE bench_limit.{table} (LIKE public.{table} INCLUDING ALL)"
            connection.execute(like.encode())
        connection.commit()  # loading a table in the transaction that created it costs less
        began = time.monotonic()
        for table in _TABLES:
            into = f"COPY bench_limit.{table} FROM STDIN (FORMAT BINARY)".encode()
            with connection.cursor().copy(into) as copy:
                for chunk in rows[table]:
                    copy.write(chunk)
        connection.commit()
        took = time.monotonic() - began
        (copied,) = connection.execute(
            "SELECT count(*) FROM bench_limit.outcomes_call"
        ).fetchone() or (0,)
        connection.execute("DROP SCHEMA bench_limit CASCADE")
        connection.commit()
    _refuse_other_count(store, tag, copied)
    return took


def _chunks(out: psycopg.Copy) -> list[bytes]:
    """Output joined into large chunks, so that writing isn't measured row by row."""
    complete = b"".join(bytes(part) for part in out)
    return [complete[start : start + _CHUNK] for start in range(0, len(complete), _CHUNK)]


def _by_executemany(store: Store, tag: str) -> float:
    rows = {
        table: store.rows(f"SELECT * FROM {table} WHERE {_OF_PART}%s) ORDER BY id", tag)
        for table in _TABLES
    }
    shapes = store.rows(
        "SELECT sql FROM sqlite_master WHERE tbl_name IN (%s, %s) AND sql IS NOT NULL"
        " ORDER BY type DESC",  # tables before their indexes
        *_TABLES,
    )
    file = store.data / "limit.sqlite3"
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.executescript(SQLITE_PRAGMAS)
        for (shape,) in shapes:
            connection.execute(shape)
        began = time.monotonic()
        connection.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            marks = ", ".join("?" * len(rows[table][0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
        connection.execute("COMMIT")
        took = time.monotonic() - began
        copied: Any = connection.execute("SELECT count(*) FROM outcomes_call").fetchone()[0]
    finally:
        connection.close()
        for left in store.data.glob("limit.sqlite3*"):
            left.unlink()
    _refuse_other_count(store, tag, copied)
    return took


def _refuse_other_count(store: Store, tag: str, copied: int) -> None:
    ((there,),) = store.rows(f"SELECT count(*) FROM outcomes_call WHERE {_OF_PART}%s)", tag)
    if copied != there:
        raise CopyWrong(f"The copy has {copied} calls, the original {there}.")

"""Fills a store with earlier days: copies of the settled day with new ids and earlier times.

The database copies calls, events and rollups itself. Rollup minutes and session state contain
packed times, so they are rewritten here, and loaded into PostgreSQL with COPY. Stored items keep
their original content and timestamps; a page that opens them rejects reports older than the call.
"""

# ruff: noqa: S608 - the statements are made of this file's own names

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec
import psycopg

from bench.stores import Store

MINUTES = 1_440
FIRST_BATCH, FIRST_SESSION = 10_000_000, 2_000_000_000  # leaves lower ids for copies
Row = tuple[Any, ...]
_COPIED = frozenset(["call", "event", "session", "rollup", "rollupminute", "grouprollup"])
_MULTIPLIED = {"artifactuse": ("calls", "reads"), "artifactmaker": ("calls",)}
# Tables that need no copied rows: names and settings are shared, jobs and reports don't exist yet,
# cursors are recreated when needed, and the time an agent was last seen doesn't change.
_SHARED = frozenset(
    {"agent", "agentreport", "agentseen", "artifact", "artifacttotal", "backtest", "batch"}
    | {"callgroup", "savedview", "savedviewtail"}
    | {"changedcall", "childsession", "demorun", "oldcalls", "pastverdict", "rejecteditem"}
    | {"rejudging"}
    | {
        "rejudgingpart",
        "rollupchange",
        "sessionday",
        "sessiondaychange",
        "sessionmark",
        "sessionnote",
        "sessionremoval",
    }
    | {"indexedcall", "posting", "principal", "searchindex", "unindexedevents"}
    | {"storedvalue", "suggestion", "suggestionscan", "tickedline", "tool"}
)


class UnknownTables(Exception):
    """There are tables that this module has no rule for copying."""


class Copying:
    """Copies the settled day of a store to earlier days, committing after each day."""

    def __init__(self, store: Store) -> None:
        self._is_postgres = bool(store.url)
        self._connection: Any
        if self._is_postgres:
            self._connection = psycopg.connect(store.url)
        else:
            self._connection = sqlite3.connect(store.file, timeout=60)
            self._connection.create_function("digest_of", 1, digest_of, deterministic=True)

    def close(self) -> None:
        self._connection.close()

    def make_room(self) -> None:
        """Start ids high, so that copies get lower ones. Call before the first post."""
        for table, first in (("batch", FIRST_BATCH), ("session", FIRST_SESSION)):
            if self._is_postgres:
                name = f"pg_get_serial_sequence('outcomes_{table}', 'id')"
                self._rows(f"SELECT setval({name}, {first})")
            else:
                self._connection.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                    (f"outcomes_{table}", first),
                )
        self._connection.commit()

    def copy(self, days: int, answer: Callable[[int], None]) -> None:
        self._refuse_unknown_tables()
        ((first, last),) = self._rows("SELECT min(id), max(id) FROM outcomes_event")
        ((low, high),) = self._rows("SELECT min(id), max(id) FROM outcomes_session")
        sessions = self._table("session"), self._rows("SELECT * FROM outcomes_session")
        minutes = self._rows(
            "SELECT environment_id, counts, durations, groups, minute FROM outcomes_rollupminute"
        )
        self._span, self._session_span = last - first + 1, high - low + 1
        ids = f"BETWEEN {first} AND {last}"
        newest = {
            table: self._rows(f"SELECT max(id) FROM outcomes_{table}")[0][0]
            for table in ("rollup", "grouprollup")
        }
        for day in range(1, days + 1):
            self._copy_calls(day, ids)
            self._copy_sessions(day, *sessions)
            self._copy_minutes(day, minutes)
            for table, up_to in newest.items():
                self._copy_rollups(table, day, up_to)
            self._connection.commit()
            answer(day)
        for table, sums in _MULTIPLIED.items():
            grown = ", ".join(f"{name} = {name} * {days + 1}" for name in sums)
            self._connection.execute(f"UPDATE outcomes_{table} SET {grown}")
        # Makes the worker index the copies, like calls older than the search index.
        self._connection.execute(f"UPDATE outcomes_searchindex SET before = {2**52}")
        # Counted before the copies existed; the worker recounts the days.
        self._connection.execute("DELETE FROM outcomes_sessionday")
        earlier = self._earlier("first_at", days)
        self._connection.execute(f"UPDATE outcomes_artifactuse SET first_at = {earlier}")
        self._connection.commit()

    def _refuse_unknown_tables(self) -> None:
        catalogue = (
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            if self._is_postgres
            else "SELECT name FROM sqlite_master WHERE type = 'table'"
        )
        names = (
            name.removeprefix("outcomes_")
            for (name,) in self._rows(catalogue)
            if "outcomes_" in name
        )
        if unknown := set(names) - _COPIED - _SHARED - _MULTIPLIED.keys():
            raise UnknownTables(", ".join(sorted(unknown)))

    def _copy_calls(self, day: int, ids: str) -> None:
        called = f"c.call_id || '-{day}'"
        moved = f"- {day * self._span}"
        own = {
            "id": f"c.id {moved}",
            "order": f'c."order" {moved}',
            "call_id": called,
            "digest": self._digest(called),
            "session_id": f"c.session_id - {day * self._session_span}",
            "at": self._earlier("c.at", day),
        }
        self._select_into("call", own, f"FROM outcomes_call c WHERE c.id {ids}")
        of_event = {
            "id": f"e.id {moved}",
            "call_digest": self._digest(called),
        }
        self._select_into(
            "event",
            of_event,
            "FROM outcomes_event e JOIN outcomes_call c ON c.environment_id = e.environment_id"
            f" AND c.digest = e.call_digest WHERE e.id {ids}",
        )

    def _copy_rollups(self, table: str, day: int, up_to: int) -> None:
        alias = table[0]
        moved = {"start": f"{alias}.start - {day * MINUTES}"}
        source = f"FROM outcomes_{table} {alias} WHERE {alias}.id <= {up_to}"
        self._select_into(table, moved, source, but="id")

    def _select_into(self, table: str, own: dict[str, str], source: str, but: str = "") -> None:
        alias = table[0]
        columns = [name for name in self._table(table) if name != but]
        values = ", ".join(own.get(name, f'{alias}."{name}"') for name in columns)
        names = ", ".join(f'"{name}"' for name in columns)
        self._connection.execute(f"INSERT INTO outcomes_{table} ({names}) SELECT {values} {source}")

    def _copy_sessions(self, day: int, columns: list[str], rows: list[Row]) -> None:
        shift = timedelta(days=day)
        made = []
        for row in rows:
            session = dict(zip(columns, row, strict=True))
            session["id"] -= day * self._session_span
            session["session_id"] += f"-{day}"
            session["digest"] = digest_of(session["session_id"])
            if session["loop_call_id"] is not None:
                session["loop_call_id"] -= day * self._span
            for name in ("first_at", "last_at", "loop_first_at", "loop_last_at"):
                session[name] = _moved(session[name], shift)
            session["tally"] = self._tally(session["tally"], shift, day)
            made.append(tuple(session.values()))
        self._insert("session", columns, made)

    def _tally(self, text: str, shift: timedelta, day: int) -> str:
        state = json.loads(text)
        at, index, order = state["last"]
        earlier = datetime.fromisoformat(at) - shift
        state["last"] = [earlier.isoformat(), index, order - day * self._span]
        ticks = shift // timedelta(microseconds=1)
        state["repeats"]["denied"] = [
            [request, times, first - ticks, last - ticks, call - day * self._span]
            for request, times, first, last, call in state["repeats"]["denied"]
        ]
        return json.dumps(state, separators=(",", ":"))

    def _copy_minutes(self, day: int, rows: list[Row]) -> None:
        made = [
            (env, *(_packed(each, day) for each in packed), minute - day * MINUTES)
            for env, *packed, minute in rows
        ]
        columns = ["environment_id", "counts", "durations", "groups", "minute"]
        self._insert("rollupminute", columns, made)

    def _insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{name}"' for name in columns)
        if self._is_postgres:
            copying = f"COPY outcomes_{table} ({names}) FROM STDIN"
            with self._connection.cursor().copy(copying) as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(
            f"INSERT INTO outcomes_{table} ({names}) VALUES ({marks})", rows
        )

    def _table(self, name: str) -> list[str]:
        """Columns of a table."""
        result = self._connection.execute(f"SELECT * FROM outcomes_{name} LIMIT 0")
        return [column[0] for column in result.description]

    def _rows(self, query: str) -> list[Row]:
        return [tuple(row) for row in self._connection.execute(query).fetchall()]

    def _earlier(self, column: str, days: int) -> str:
        if self._is_postgres:
            return f"{column} - interval '{days} days'"
        return f"datetime(substr({column}, 1, 19), '-{days} days') || substr({column}, 20)"

    def _digest(self, text: str) -> str:
        if self._is_postgres:
            return f"substring(sha256(convert_to({text}, 'UTF8')) FROM 1 FOR 16)"
        return f"digest_of({text})"


def digest_of(name: str) -> bytes:
    return sha256(name.encode()).digest()[:16]


def _moved(at: Any, shift: timedelta) -> Any:
    if at is None:
        return None
    return str(datetime.fromisoformat(at) - shift) if isinstance(at, str) else at - shift


def _packed(rows: Any, day: int) -> bytes | None:
    if rows is None:
        return None
    moved = [
        [minute - day * MINUTES, *rest] for minute, *rest in msgspec.msgpack.decode(bytes(rows))
    ]
    return msgspec.msgpack.encode(moved)

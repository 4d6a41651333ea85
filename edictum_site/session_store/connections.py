"""Non-blocking database connections for the event loop."""

import time
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import connection, connections

from edictum_site.front.threads import Threads
from edictum_site.session_store.batching import Connection
from outcomes.database import IS_SERVER
from outcomes.database.statements import CHECK_AFTER, Query, run_query
from outcomes.models.faults import end_session_if_read_only

if TYPE_CHECKING:
    import psycopg

Result = TypeVar("Result")


def open_connection(name: str) -> Connection:
    """Connection for the event loop. SQLite has no async driver, so it gets a thread, `name`."""
    return PostgresConnection() if IS_SERVER else ThreadConnection(name)


class PostgresConnection:
    """psycopg's async connection, opened on first use."""

    def __init__(self) -> None:
        # Read here, as in a task Django would create a connection object for each request.
        self._errors = connection.wrap_database_errors
        self._parameters = connection.get_connection_params() | {"autocommit": True}
        del self._parameters["cursor_factory"]  # for Django's synchronous cursors
        self._cursor: psycopg.AsyncCursor[tuple[Any, ...]] | None = None
        self._answered_at = 0.0

    async def run(self, query: Query[Result]) -> Result:
        (values,) = query.statement.rows
        with self._errors:
            try:
                cursor = await self._open_cursor()
                await cursor.execute(query.statement.text.encode(), values)
                rows = await cursor.fetchall()
            except BaseException:
                await self.close()  # the next query must not read remaining rows of this one
                raise
        self._answered_at = time.monotonic()
        return query.read(rows)

    async def close(self) -> None:
        if self._cursor is not None:
            cursor, self._cursor = self._cursor, None
            await cursor.connection.close()

    async def _open_cursor(self) -> "psycopg.AsyncCursor[tuple[Any, ...]]":
        import psycopg  # noqa: PLC0415 - not loaded where SQLite serves

        if self._cursor is not None and time.monotonic() > self._answered_at + CHECK_AFTER:
            try:
                await self._cursor.execute(b"SELECT 1")
            except psycopg.OperationalError:
                await self.close()
        if self._cursor is None:
            opened = await psycopg.AsyncConnection.connect(**self._parameters)
            self._cursor = opened.cursor()
        return self._cursor


class ThreadConnection:
    """Django's connection in a separate thread, started on first use."""

    def __init__(self, name: str) -> None:
        self._threads = Threads(1, name, release=connections.close_all)
        self._is_started = False

    async def run(self, query: Query[Result]) -> Result:
        if not self._is_started:
            self._is_started = True
            self._threads.start()
        return await self._threads.run(_run, query)

    async def close(self) -> None:
        if self._is_started:
            self._threads.stop()


def _run(query: Query[Result]) -> Result:
    try:
        return run_query(query)
    except BaseException as error:
        connection.close_if_unusable_or_obsolete()
        end_session_if_read_only(error)
        raise

"""A connection to PostgreSQL that the event loop itself waits for.

An agent waits for ten of its answers per governed call. A thread in between would have to be woken
for each, and then wake the loop: half as much again as the server takes.
"""

import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from django.db import connection

from outcomes.models.statements import ASK_AGAIN, Steps

if TYPE_CHECKING:  # not there to be loaded where SQLite serves
    from psycopg import AsyncConnection

Told = TypeVar("Told")


class Server:
    """One piece of work at a time."""

    def __init__(self) -> None:
        self._server: AsyncConnection | None = None
        self._answered = 0.0

    async def carry_out(self, steps: Steps[Told]) -> Told:
        with connection.wrap_database_errors:
            server = await self._alive()
            try:
                statement = next(steps)
                while True:
                    (values,) = statement.rows
                    cursor = await server.execute(statement.text.encode(), values)
                    rows = await cursor.fetchall()
                    self._answered = time.monotonic()
                    statement = steps.send(rows)
            except StopIteration as done:
                told: Told = done.value
                return told

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.close()

    async def _alive(self) -> "AsyncConnection":
        import psycopg  # noqa: PLC0415 - not there to be loaded where SQLite serves

        server = self._server
        if server is not None and time.monotonic() > self._answered + ASK_AGAIN:
            with suppress(psycopg.OperationalError):  # then it is closed
                await server.execute(b"SELECT 1")
        if server is None or server.closed:
            told = connection.get_connection_params()
            told.pop("cursor_factory")  # made for threads
            server = self._server = await psycopg.AsyncConnection.connect(autocommit=True, **told)
        return server

"""A connection to SQLite for the event loop, to look something up with.

Who looks never waits for who writes, and what is looked up is found in less time than it takes to
ask a thread for it.
"""

import sqlite3
from functools import partial
from typing import TypeVar

from django.db import connection

from edictum_site.own_thread import OwnThread
from outcomes.models.statements import (
    Row,
    Statement,
    Steps,
    carry_out_beside,
    read_each,
    with_question_marks,
)

Told = TypeVar("Told")


class SqliteAtHand:
    """For reading only; `thread` is there for connecting, and for what has to wait after all."""

    def __init__(self, thread: OwnThread) -> None:
        self._thread = thread
        self._kept: sqlite3.Connection | None = None

    async def carry_out(self, steps: Steps[Told]) -> Told:
        return await carry_out_beside(self._rows_of, steps)

    async def stop(self) -> None:
        if self._kept is not None:
            self._kept.close()
        await self._thread.stop()

    async def _rows_of(self, statement: Statement) -> list[Row]:
        if self._kept is None:
            self._kept = await self._thread.call(_connected)
        ask, text = self._kept.execute, with_question_marks(statement.text)
        try:
            return [row for values in statement.rows for row in ask(text, values)]
        except sqlite3.OperationalError:  # a file that is being recovered, for example
            return await self._thread.call(partial(read_each, statement.text, statement.rows))


def _connected() -> sqlite3.Connection:
    own = connection.copy()
    own.connect()
    kept: sqlite3.Connection = own.connection
    kept.execute("PRAGMA busy_timeout = 0")  # it is the loop that would wait
    return kept

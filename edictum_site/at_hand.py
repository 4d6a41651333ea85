"""A connection to PostgreSQL that the event loop asks itself, and waits for no more than a moment.

Who asks alone waits longer for threads that hand on the question and the answer, and for a driver
that serves everybody's types, than for the statement. What is not answered within the moment is
waited for by a thread, and the loop goes on.
"""

import select
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg
from django.db import connection
from psycopg import pq
from psycopg.errors import error_from_result

from edictum_site.own_thread import OwnThread
from outcomes.models.statements import Row, Statement, Steps

MOMENT = 2  # milliseconds; a commit takes a third of one
TEXT, BINARY = pq.Format.TEXT, pq.Format.BINARY

Told = TypeVar("Told")
Sent = bytes | None


def _bytea(sent: bytes) -> bytes:
    return bytes.fromhex(sent[2:].decode())  # after \x


# By PostgreSQL's numbers for its types: all that these statements tell.
_READERS: dict[int, Callable[[bytes], Any]] = {17: _bytea, 20: int, 25: bytes.decode}


class AtHand:
    """One turn at a time; `thread` is there for what takes long, connecting among it."""

    def __init__(self, thread: OwnThread) -> None:
        self._thread = thread
        self._kept: _Prepared | None = None

    async def carry_out(self, steps: Steps[Told]) -> Told:
        try:
            statement = next(steps)
            while True:
                statement = steps.send(await self._rows_of(statement))
        except StopIteration as done:
            told: Told = done.value
            return told

    async def stop(self) -> None:
        self._forget()
        await self._thread.stop()

    async def _rows_of(self, statement: Statement) -> list[Row]:
        (values,) = statement.rows
        with connection.wrap_database_errors:
            if self._kept is None or self._kept.has_ended():
                self._forget()
                self._kept = await self._thread.call(_Prepared)
            kept = self._kept
            try:
                if statement.text not in kept.names:
                    await self._thread.call(lambda: kept.prepare(statement.text))
                kept.ask(statement.text, values)
                if not kept.answered(MOMENT):
                    await self._thread.call(lambda: kept.answered(None))
                result = kept.result()
            except BaseException:
                self._forget()  # whoever asks next must not be told this answer
                raise
            return _rows(result)

    def _forget(self) -> None:
        if self._kept is not None:
            self._kept.connection.close()
            self._kept = None


class _Prepared:
    """Statements that were planned once, asked in libpq's own words."""

    def __init__(self) -> None:
        settings = connection.get_connection_params() | {"autocommit": True}
        self.connection = psycopg.connect(**settings)
        self.names: dict[str, bytes] = {}
        self._libpq = self.connection.pgconn
        self._readable = select.poll()
        self._readable.register(self._libpq.socket, select.POLLIN)

    def has_ended(self) -> bool:
        """It was asked nothing, so what the server has to say is that it ends."""
        return bool(self._readable.poll(0))

    def prepare(self, text: str) -> None:
        *parts, last = text.replace("%b", "%s").split("%s")
        numbered = "".join(f"{part}${place}" for place, part in enumerate(parts, 1)) + last
        name = f"at_hand_{len(self.names)}".encode()
        prepared = self._libpq.prepare(name, numbered.encode())
        if prepared.status != pq.ExecStatus.COMMAND_OK:
            raise error_from_result(prepared)
        self.names[text] = name

    def ask(self, text: str, values: Sequence[Any]) -> None:
        formats = [BINARY if isinstance(value, bytes) else TEXT for value in values]
        self._libpq.send_query_prepared(self.names[text], [*map(_sent, values)], formats)

    def answered(self, within: int | None) -> bool:
        while self._readable.poll(within):
            self._libpq.consume_input()
            if not self._libpq.is_busy():
                return True
        return False

    def result(self) -> pq.abc.PGresult:
        result = self._libpq.get_result()
        while self._libpq.get_result() is not None:  # to be asked again, it must have told all
            pass
        if result is None:
            raise psycopg.OperationalError("The server told nothing.")
        return result


def _sent(value: object) -> Sent:
    match value:
        case None | bytes():
            return value
        case list():
            return b"{%s}" % b",".join(rb'"\\x%s"' % each.hex().encode() for each in value)
        case _:
            return str(value).encode()


def _rows(result: pq.abc.PGresult) -> list[Row]:
    if result.status != pq.ExecStatus.TUPLES_OK:
        raise error_from_result(result)
    columns = [(place, _READERS[result.ftype(place)]) for place in range(result.nfields)]
    return [
        tuple([_read(result.get_value(row, place), read) for place, read in columns])
        for row in range(result.ntuples)
    ]


def _read(sent: Sent, read: Callable[[bytes], Any]) -> Any:
    return None if sent is None else read(sent)

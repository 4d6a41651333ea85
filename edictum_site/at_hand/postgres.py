"""A connection to PostgreSQL that the event loop asks itself, and hears the answer of.

Who asks alone waits longer for threads that hand on the question and the answer, and for a driver
that serves everybody's types, than for the statement. Only connecting is left to a thread.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg
from django.db import connection
from psycopg import pq
from psycopg.errors import error_from_result

from edictum_site.own_thread import OwnThread
from outcomes.models.statements import Row, Statement, Steps, carry_out_beside

TEXT, BINARY = pq.Format.TEXT, pq.Format.BINARY

Told = TypeVar("Told")
Sent = bytes | None


def _bytea(sent: bytes) -> bytes:
    return bytes.fromhex(sent[2:].decode())  # after \x


# By PostgreSQL's numbers for its types: all that these statements tell.
_READERS: dict[int, Callable[[bytes], Any]] = {17: _bytea, 20: int, 25: bytes.decode}


class PostgresAtHand:
    """One turn at a time; `thread` is there for connecting."""

    def __init__(self, thread: OwnThread) -> None:
        self._thread = thread
        self._kept: _Prepared | None = None
        # Asked here: on the loop Django would make a connection anew for each request.
        self._errors = connection.wrap_database_errors

    async def carry_out(self, steps: Steps[Told]) -> Told:
        return await carry_out_beside(self._rows_of, steps)

    async def stop(self) -> None:
        self._forget()
        await self._thread.stop()

    async def _rows_of(self, statement: Statement) -> list[Row]:
        (values,) = statement.rows
        with self._errors:
            if self._kept is None or self._kept.ended:
                self._forget()
                self._kept = await self._thread.call(_Prepared)
                self._kept.listen()
            try:
                return _rows(await self._kept.ask(statement.text, values))
            except BaseException:
                self._forget()  # whoever asks next must not be told this answer
                raise

    def _forget(self) -> None:
        if self._kept is not None:
            self._kept.end()
            self._kept = None


class _Prepared:
    """Statements that were planned once, asked in libpq's own words."""

    def __init__(self) -> None:
        settings = connection.get_connection_params() | {"autocommit": True}
        self.ended = False
        self._connection = psycopg.connect(**settings)
        self._libpq = self._connection.pgconn
        self._names: dict[str, bytes] = {}
        self._answer: asyncio.Future[None] | None = None

    def listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._libpq.socket, self._hear)

    def end(self) -> None:
        if not self.ended:
            self.ended = True
            self._loop.remove_reader(self._libpq.socket)
            self._connection.close()

    async def ask(self, text: str, values: Sequence[Any]) -> pq.abc.PGresult:
        if text not in self._names:
            await self._prepare(text)
        formats = [BINARY if isinstance(value, bytes) else TEXT for value in values]
        self._libpq.send_query_prepared(self._names[text], [*map(_sent, values)], formats)
        return await self._told()

    async def _prepare(self, text: str) -> None:
        *parts, last = text.replace("%b", "%s").split("%s")
        numbered = "".join(f"{part}${place}" for place, part in enumerate(parts, 1)) + last
        name = f"at_hand_{len(self._names)}".encode()
        self._libpq.send_prepare(name, numbered.encode())
        prepared = await self._told()
        if prepared.status != pq.ExecStatus.COMMAND_OK:
            raise error_from_result(prepared)
        self._names[text] = name

    async def _told(self) -> pq.abc.PGresult:
        while self._libpq.flush():
            await self._writable()
        self._answer = self._loop.create_future()
        await self._answer
        result = self._libpq.get_result()
        while self._libpq.get_result() is not None:  # to be asked again, it must have told all
            pass
        if result is None:
            raise psycopg.OperationalError("The server told nothing.")
        return result

    async def _writable(self) -> None:
        ready = self._loop.create_future()
        self._loop.add_writer(self._libpq.socket, ready.set_result, None)
        try:
            await ready
        finally:
            self._loop.remove_writer(self._libpq.socket)

    def _hear(self) -> None:
        answer = self._answer
        if answer is None or answer.done():
            self.end()  # it was asked nothing, so what the server has to say is that it ends
            return
        try:
            self._libpq.consume_input()
            if not self._libpq.is_busy():
                answer.set_result(None)
        except psycopg.Error as error:
            answer.set_exception(error)


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

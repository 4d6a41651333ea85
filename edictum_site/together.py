"""Work of many requests that is done at once, on one connection to the database.

Whatever is asked for while the connection is at work makes up its next turn, so what a turn costs
(a statement, a commit) is shared by all who came meanwhile. Who comes alone may have a connection
that is quicker for one.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from outcomes.models.statements import Steps

AT_ONCE = 256

Asked = TypeVar("Asked")
Told = TypeVar("Told")


class Connection(Protocol):
    async def carry_out(self, steps: Steps[Told], /) -> Told: ...
    async def stop(self) -> None: ...


class Together(Generic[Asked, Told]):
    """`steps_of` what was asked tell each of those who asked its own, in their order."""

    def __init__(
        self,
        connection: Connection,
        steps_of: Callable[[Sequence[Asked]], Steps[list[Told]]],
        *,
        alone: Connection | None = None,
    ) -> None:
        self._connection = connection
        self._alone = alone or connection
        self._steps_of = steps_of
        self._waiting: list[tuple[asyncio.Future[Told], Asked]] = []
        self._at_work = False
        self._turns: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Told:
        if self._at_work:
            done: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
            self._waiting.append((done, asked))
            return await done
        # Whoever comes first does it itself, without a task.
        self._at_work = True
        try:
            (told,) = await self._alone.carry_out(self._steps_of([asked]))
            return told
        finally:
            if self._waiting:
                self._turns = asyncio.create_task(self._work())
            else:
                self._at_work = False

    async def stop(self) -> None:
        await self._alone.stop()
        await self._connection.stop()

    async def _work(self) -> None:
        while self._waiting:
            turn, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
            connection = self._connection if len(turn) > 1 else self._alone
            try:
                told = await connection.carry_out(self._steps_of([each for _, each in turn]))
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                for done, _ in turn:
                    if not done.done():
                        done.set_exception(error)
            else:
                for (done, _), each in zip(turn, told, strict=True):
                    if not done.done():  # its client has gone
                        done.set_result(each)
        self._at_work = False

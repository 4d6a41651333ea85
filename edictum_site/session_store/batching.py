"""Batch requests that arrive during a query into the next one, to share a round trip or commit."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from outcomes.database.statements import Query

MAX_BATCH = 256

Request = TypeVar("Request")
Result = TypeVar("Result")


class Connection(Protocol):
    async def run(self, query: Query[Result], /) -> Result: ...
    async def close(self) -> None: ...


class Batcher(Generic[Request, Result]):
    """Runs one query at a time. The query from `query_for` returns results in the order of its
    requests."""

    def __init__(
        self,
        connection: Connection,
        query_for: Callable[[Sequence[Request]], Query[list[Result]]],
    ) -> None:
        self._connection = connection
        self._query_for = query_for
        self._waiting: list[tuple[asyncio.Future[Result], Request]] = []
        self._is_running = False
        self._batches: asyncio.Task[None] | None = None  # unreferenced tasks may be collected

    async def submit(self, request: Request) -> Result:
        if self._is_running:
            done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
            self._waiting.append((done, request))
            return await done
        self._is_running = True
        try:
            # A single request needs no task.
            (result,) = await self._connection.run(self._query_for([request]))
            return result
        finally:
            if self._waiting:
                self._batches = asyncio.create_task(self._run_batches())
            else:
                self._is_running = False

    async def close(self) -> None:
        await self._connection.close()

    async def _run_batches(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            query = self._query_for([request for _, request in batch])
            try:
                results = await self._connection.run(query)
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                for done, _ in batch:
                    if not done.done():
                        done.set_exception(error)
            else:
                for (done, _), result in zip(batch, results, strict=True):
                    if not done.done():  # done: its client has disconnected
                        done.set_result(result)
        self._is_running = False

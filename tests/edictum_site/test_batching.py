"""Requests that share a query: each gets its own result, and a failed batch affects no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from edictum_site.session_store.batching import Batcher
from outcomes.database.statements import Query, Row, Statement


class Doubling:
    """A connection whose first query blocks until released; doubling zero raises an error."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.may_end = asyncio.Event()

    def query_for(self, numbers: Sequence[int]) -> Query[list[int]]:
        self.batches.append(list(numbers))

        def read(_: list[Row]) -> list[int]:
            if 0 in numbers:
                raise ZeroDivisionError
            return [2 * number for number in numbers]

        return Query(Statement("", []), read)

    async def run(self, query):
        if len(self.batches) == 1:
            await asyncio.wait_for(self.may_end.wait(), 60)
        return query.read([])

    async def close(self) -> None:
        pass


Asking = Callable[[Batcher[int, int], Doubling], Awaitable[None]]


def batches_of(asking: Asking) -> list[list[int]]:
    async def run() -> list[list[int]]:
        doubling = Doubling()
        await asking(Batcher(doubling, doubling.query_for), doubling)
        return doubling.batches

    return asyncio.run(run())


async def begun(batcher: Batcher[int, int], number: int) -> "asyncio.Task[int]":
    task = asyncio.create_task(batcher.submit(number))
    await asyncio.sleep(0)
    return task


def test_requests_that_arrive_during_a_query_share_the_next_one():
    async def asking(batcher, doubling):
        tasks = [await begun(batcher, number) for number in (1, 2, 3, 4)]
        doubling.may_end.set()
        assert await asyncio.gather(*tasks) == [2, 4, 6, 8]
        assert await batcher.submit(5) == 10

    assert batches_of(asking) == [[1], [2, 3, 4], [5]]


@pytest.mark.parametrize("first", [0, 1])
def test_an_error_fails_its_batch_only(first):
    async def asking(batcher, doubling):
        tasks = [await begun(batcher, number) for number in (first, 0, 2)]
        doubling.may_end.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [
            int if first else ZeroDivisionError,
            ZeroDivisionError,
            ZeroDivisionError,
        ]
        assert await batcher.submit(5) == 10

    assert batches_of(asking) == [[first], [0, 2], [5]]


def test_a_request_completes_if_others_in_its_batch_are_canceled():
    async def asking(batcher, doubling):
        first, second, third = [await begun(batcher, number) for number in (1, 2, 3)]
        first.cancel()
        second.cancel()
        doubling.may_end.set()
        assert await third == 6
        assert await batcher.submit(5) == 10

    batches_of(asking)

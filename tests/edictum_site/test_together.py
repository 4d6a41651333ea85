"""Requests that share turns: each is told its own, and a turn that fails ends none but itself."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import pytest

from edictum_site.own_thread import OwnThread
from edictum_site.together import Together
from outcomes.models.statements import Steps


class Doubling:
    """The first turn takes until it may end; whoever asks for the double of zero gets an error."""

    def __init__(self) -> None:
        self.turns: list[list[int]] = []
        self.may_end = threading.Event()

    def steps_of(self, asked: Sequence[int]) -> Steps[list[int]]:
        self.turns.append(list(asked))
        return self._steps(asked, first=len(self.turns) == 1)

    def _steps(self, asked: Sequence[int], *, first: bool) -> Steps[list[int]]:
        if first:
            assert self.may_end.wait(10)
        if 0 in asked:
            raise ZeroDivisionError
        return [2 * each for each in asked]
        yield


Asking = Callable[[Together[int, int], Doubling], Awaitable[None]]


def carry_out(asking: Asking) -> Doubling:
    async def whole() -> None:
        await asking(together, doubling)
        await together.stop()

    doubling = Doubling()
    together = Together(OwnThread("doubling"), doubling.steps_of)
    asyncio.run(whole())
    return doubling


async def begun(together: Together[int, int], asked: int) -> "asyncio.Task[int]":
    task = asyncio.create_task(together.ask(asked))
    await asyncio.sleep(0)
    return task


def test_whoever_comes_while_one_is_at_work_shares_the_next_turn():
    async def asking(together, doubling):
        tasks = [await begun(together, each) for each in (1, 2, 3, 4)]
        doubling.may_end.set()
        assert await asyncio.gather(*tasks) == [2, 4, 6, 8]
        assert await together.ask(5) == 10

    assert carry_out(asking).turns == [[1], [2, 3, 4], [5]]


@pytest.mark.parametrize("first", [0, 1])
def test_an_error_is_told_to_all_of_its_turn_and_to_nobody_after_it(first):
    async def asking(together, doubling):
        tasks = [await begun(together, each) for each in (first, 0, 2)]
        doubling.may_end.set()
        told = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(each) for each in told] == [
            int if first else ZeroDivisionError,
            ZeroDivisionError,
            ZeroDivisionError,
        ]
        assert await together.ask(5) == 10

    assert carry_out(asking).turns == [[first], [0, 2], [5]]


def test_whoever_waits_is_answered_though_others_have_gone():
    async def asking(together, doubling):
        first, second, third = [await begun(together, each) for each in (1, 2, 3)]
        first.cancel()
        second.cancel()
        doubling.may_end.set()
        assert await third == 6
        assert await together.ask(5) == 10

    carry_out(asking)

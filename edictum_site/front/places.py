"""Places for slow requests: how many of them may hold a thread at once, and how many per actor.

A request that finds no place waits on the event loop, where it holds nothing, and only so long.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, Protocol
from wsgiref.types import WSGIEnvironment

from edictum_site.front.bodies import ClientGone
from edictum_site.front.sending import Client


class Busy(Exception):
    """No place became free in time, or too many requests wait already."""


class SlowRequests(Protocol):
    def is_slow(self, environ: WSGIEnvironment) -> bool:
        """Whether this request needs a place; called on the event loop, so it asks no database."""

    def waits(self, environ: WSGIEnvironment) -> bool:
        """Whether the application may let this request wait for something."""

    def actor(self, environ: WSGIEnvironment) -> str:
        """The key or the person that sends it; called on a thread. Empty for a stranger."""


class Waiter(NamedTuple):
    actor: str
    turn: asyncio.Future[None]


class Places:
    """`count` places, at most `per_actor` of them for one actor; `patience` is in seconds."""

    def __init__(
        self, count: int, *, per_actor: int, patience: float = 0, line: int = 0, own_line: int = 0
    ) -> None:
        self._count, self._per_actor = count, per_actor
        self._patience, self._longest_line, self._own_line = patience, line, own_line
        self._held: Counter[str] = Counter()
        self._line: list[Waiter] = []

    @asynccontextmanager
    async def hold(self, actor: str, client: Client) -> AsyncIterator[None]:
        if not self._take(actor):
            await self._wait_in_line(actor, client)
        try:
            yield
        finally:
            self._give_back(actor)

    def _take(self, actor: str) -> bool:
        if self._held.total() >= self._count or self._held[actor] >= self._per_actor:
            return False
        self._held[actor] += 1
        return True

    def _give_back(self, actor: str) -> None:
        self._held[actor] -= 1
        self._held += Counter()  # forgets who holds none
        for waiter in list(self._line):
            if self._take(waiter.actor):
                self._line.remove(waiter)
                waiter.turn.set_result(None)

    async def _wait_in_line(self, actor: str, client: Client) -> None:
        own = sum(waiter.actor == actor for waiter in self._line)
        if len(self._line) >= self._longest_line or own >= self._own_line:
            raise Busy
        waiter = Waiter(actor, asyncio.get_running_loop().create_future())
        self._line.append(waiter)
        gone = client.gone()
        try:
            await asyncio.wait(
                {waiter.turn, gone}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            self._leave_line(waiter)
            raise
        if not waiter.turn.done():
            self._leave_line(waiter)
            raise ClientGone if gone.done() else Busy

    def _leave_line(self, waiter: Waiter) -> None:
        if waiter.turn.done():
            self._give_back(waiter.actor)
        else:
            self._line.remove(waiter)

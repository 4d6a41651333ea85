"""Concurrency limits for slow requests: how many may hold a thread at once, in total and per actor.

A request with no free slot waits on the event loop without holding a thread, up to a timeout.
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
    """No slot became free in time, or too many requests are waiting."""


class SlowRequests(Protocol):
    def is_slow(self, environ: WSGIEnvironment) -> bool:
        """Whether this request needs a slot. Called on the event loop, so it must not query the
        database."""

    def waits(self, environ: WSGIEnvironment) -> bool:
        """Whether the application may let this request wait for something."""

    def actor(self, environ: WSGIEnvironment) -> str:
        """Key or user that sends the request, empty if unauthenticated. Called on a thread."""


class Waiter(NamedTuple):
    actor: str
    turn: asyncio.Future[None]


class Places:
    """Semaphore with `count` slots, at most `per_actor` of them for one actor. Up to `line`
    requests wait for a slot, `own_line` per actor, for up to `patience` seconds."""

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
        self._held += Counter()  # drops actors without a slot
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

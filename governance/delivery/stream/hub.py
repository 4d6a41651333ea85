"""All streams of a process: their places, targets, and keep-alive comments.

News only triggers a comparison: one query on a thread for all agents of a place, and each agent is
sent only what it doesn't have yet. Duplicate, late or unfounded news does no harm, and the next
comparison makes up for lost news.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from governance.delivery.news import Place
from governance.delivery.queries.streams import StreamRequest, Target
from governance.delivery.stream.stream import Postbox, Stream

SLOTS, SLOT = 14, 1.0  # seconds between comments; older agents time out after thirty
KEYS_EVERY = 0.75  # seconds between checks for revoked keys
COMPARE_EVERY = 30.0  # seconds; finds changes whose news was lost
PAUSE_AFTER_ERROR = 1.0
AT_ONCE = 1000  # streams resolved together
# Streams to send to before the event loop runs other tasks. Sending takes about 40 us, and a
# session store call waits several turns: for its request, the database, and its response.
HAND_OVER = 10

logger = logging.getLogger(__name__)


class Asking(Protocol):
    """The hub's access to the database: on a thread, with plain values."""

    def resolve_targets(
        self, place: Place, requests: Sequence[StreamRequest]
    ) -> Awaitable[list[Target | None]]: ...

    def live_keys(self, key_ids: Iterable[int]) -> Awaitable[frozenset[int]]: ...


class Stopped(Exception):
    """The process is shutting down and accepts no more streams."""


@dataclass(slots=True)
class Group:
    """The streams of one place."""

    streams: dict[int, Stream] = field(default_factory=dict)
    newcomers: list[Stream] = field(default_factory=list)
    compare: bool = False  # something may have changed for all of them


class Hub:
    def __init__(self, asking: Asking) -> None:
        self.changed: set[Stream] | None = (
            None  # streams changed since the last collection; None: not collected
        )
        self._asking = asking
        self._groups: dict[Place, Group] = defaultdict(Group)
        self._slots: list[set[Stream]] = [set() for _ in range(SLOTS)]
        self._work = asyncio.Event()
        self._stopped = False

    def run(self) -> list[Callable[[], Awaitable[None]]]:
        """Background loops that the hub needs."""
        return [self.keep_updating, self.keep_commenting, self.keep_checking, self.keep_comparing]

    async def join(self, request: StreamRequest, cut: Callable[[], None]) -> Stream | None:
        """Open a stream with the agent's missing documents queued; None if it is not admitted."""
        if self._stopped:
            raise Stopped
        stream = Stream(request, cut)
        group = self._groups[request.place]
        # Registered before it is resolved, so that no change in between is missed.
        group.streams[stream.number] = stream
        group.newcomers.append(stream)
        self._slots[stream.number % SLOTS].add(stream)
        self._work.set()
        try:
            admitted = await stream.admitted
        except BaseException:
            self.leave(stream)
            raise
        if not admitted:
            self.leave(stream)
            return None
        self._note(stream)
        return stream

    def leave(self, stream: Stream) -> None:
        place = stream.request.place
        if self.holds(stream):
            del self._groups[place].streams[stream.number]
            if not self._groups[place].streams:
                del self._groups[place]
        self._slots[stream.number % SLOTS].discard(stream)
        self._note(stream)

    def holds(self, stream: Stream) -> bool:
        group = self._groups.get(stream.request.place)
        return group is not None and stream.number in group.streams

    def streams(self) -> list[Stream]:
        return [stream for group in self._groups.values() for stream in group.streams.values()]

    @property
    def open(self) -> int:
        """Number of open streams; safe to read from any thread."""
        return sum(len(group.streams) for group in list(self._groups.values()))

    def news(self, place: Place | None = None) -> None:
        """Schedule a comparison for this place, or for all places."""
        for each, group in self._groups.items():
            if place in (None, each):
                group.compare = True
        self._work.set()

    def stop(self) -> None:
        self._stopped = True
        for stream in self.streams():
            stream.close()
            if not stream.admitted.done():
                stream.admitted.set_exception(Stopped())

    async def keep_updating(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            for place in list(self._groups):
                await self._update(place)

    async def keep_commenting(self) -> None:
        """Send keep-alive comments slot by slot, so that thousands are never sent at once."""
        clock = asyncio.get_running_loop().time
        due = clock()
        while True:
            for slot in self._slots:
                due = max(due + SLOT, clock() - SLOTS * SLOT)
                await asyncio.sleep(max(0.0, due - clock()))
                for count, stream in enumerate(list(slot), 1):
                    stream.still_here()
                    if count % HAND_OVER == 0:
                        await asyncio.sleep(0)

    async def keep_checking(self) -> None:
        """Close streams whose key is no longer active."""
        while True:
            await asyncio.sleep(KEYS_EVERY)
            streams = self.streams()
            if streams:
                live = await self._asking.live_keys({each.request.key_id for each in streams})
                for stream in streams:
                    if stream.request.key_id not in live:
                        stream.close()

    async def keep_comparing(self) -> None:
        while True:
            await asyncio.sleep(COMPARE_EVERY)
            self.news()

    def _note(self, stream: Stream) -> None:
        if self.changed is not None:
            self.changed.add(stream)

    async def _update(self, place: Place) -> None:
        group = self._groups.get(place)
        if group is None:
            return
        newcomers, group.newcomers = group.newcomers, []
        compare, group.compare = group.compare, False
        streams = list(group.streams.values()) if compare else newcomers
        postbox = Postbox()
        try:
            for start in range(0, len(streams), AT_ONCE):
                some = streams[start : start + AT_ONCE]
                targets = await self._asking.resolve_targets(place, [each.request for each in some])
                await self._send(zip(some, targets, strict=True), postbox)
        except Exception as error:
            logger.exception("Could not query what to send to agents")
            for stream in newcomers:
                if not stream.admitted.done():
                    stream.admitted.set_exception(error)
            if compare:
                await asyncio.sleep(PAUSE_AFTER_ERROR)
                self.news(place)

    async def _send(
        self, targets: Iterable[tuple[Stream, Target | None]], postbox: Postbox
    ) -> None:
        for count, (stream, target) in enumerate(targets, 1):
            if target is not None and stream.take(target, postbox):
                self._note(stream)
            if not stream.admitted.done():
                stream.admitted.set_result(target is not None)
            if count % HAND_OVER == 0:
                await asyncio.sleep(0)


async def run_forever(work: Callable[[], Awaitable[None]]) -> None:
    """Run a background task of the streams, restarting it after an error."""
    while True:
        try:
            await work()
        except Exception:
            logger.exception("Stream task %s failed and is restarted", work.__name__)
        await asyncio.sleep(PAUSE_AFTER_ERROR)

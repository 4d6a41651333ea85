"""All streams of a process: their places, their targets, and the comments that keep them open.

News are only a reason to compare: one query for all agents of a place, on a thread, and each agent
is sent only what it does not have yet. News that come twice, late or for nothing do no harm, and
lost ones are made good by the next comparison.
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

SLOTS, SLOT = 14, 1.0  # seconds between comments: of silence, older agents bear thirty
KEYS_EVERY = 0.75  # seconds until the end of a revoked key is noticed
COMPARE_EVERY = 30.0  # seconds; finds news that were lost on their way
PAUSE_AFTER_ERROR = 1.0
AT_ONCE = 1000  # streams that are looked up together
# Streams that are told something before others get their turn. To send takes some 40 us, and who
# counts waits for several turns: for its request, the database's answer, and to answer itself.
HAND_OVER = 10

logger = logging.getLogger(__name__)


class Asking(Protocol):
    """How the hub asks the database: on a thread, for plain values."""

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
            None  # since somebody last took this set, if anybody does
        )
        self._asking = asking
        self._groups: dict[Place, Group] = defaultdict(Group)
        self._slots: list[set[Stream]] = [set() for _ in range(SLOTS)]
        self._work = asyncio.Event()
        self._stopped = False

    def run(self) -> list[Callable[[], Awaitable[None]]]:
        """Loops that have to run beside the hub."""
        return [self.keep_updating, self.keep_commenting, self.keep_checking, self.keep_comparing]

    async def join(self, request: StreamRequest, cut: Callable[[], None]) -> Stream | None:
        """The stream, with what this agent lacks waiting in it; None where it asks too much."""
        if self._stopped:
            raise Stopped
        stream = Stream(request, cut)
        group = self._groups[request.place]
        # Among the others from now on: what changes while it is looked up is not missed.
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
        """How many streams there are; any thread may ask."""
        return sum(len(group.streams) for group in list(self._groups.values()))

    def news(self, place: Place | None = None) -> None:
        """Something may have changed there; anywhere, when no place is named."""
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
        """One slot after the other, so that thousands of comments never come in one moment."""
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
        """Streams end with their keys."""
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
    """Serve the streams, restarting after an error."""
    while True:
        try:
            await work()
        except Exception:
            logger.exception("Stream task %s failed and is restarted", work.__name__)
        await asyncio.sleep(PAUSE_AFTER_ERROR)

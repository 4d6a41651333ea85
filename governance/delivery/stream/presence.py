"""Publishes to all processes which agents are connected to this one.

Entries expire, so those of a killed process disappear after some seconds.
"""

import asyncio
import json
import logging
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from governance.delivery.news import processes_key, streams_key
from governance.delivery.stream.hub import Hub
from governance.delivery.stream.stream import Stream

EVERY = 1.0  # seconds between publications of changes
CONFIRMED_EVERY = 5.0
LASTS = 20  # seconds: several times CONFIRMED_EVERY
PATIENCE = 2.0
AT_ONCE = 50  # streams per write, so that session store calls in between don't wait longer

logger = logging.getLogger(__name__)


class Presence:
    def __init__(self, url: str, hub: Hub) -> None:
        self._hub = hub
        hub.changed = set()
        self._process = uuid.uuid4().hex
        self._broker = Redis.from_url(
            url,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        self._published: set[int] = set()  # projects with this process's streams in the broker
        self._confirmed_at = 0.0

    async def keep_telling(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            changed, self._hub.changed = self._hub.changed, set()
            try:
                await self._publish(changed or ())
                if time.monotonic() >= self._confirmed_at + CONFIRMED_EVERY:
                    self._confirmed_at = time.monotonic()
                    await self._confirm()
            except (RedisError, OSError, TimeoutError) as error:
                if self._published:
                    logger.warning(
                        "Broker unavailable; presence is known to this process only: %s", error
                    )
                self._published.clear()

    async def close(self) -> None:
        """Remove this process's entries when it shuts down."""
        try:
            for project_id in self._published:
                await self._broker.zrem(processes_key(project_id), self._process)
                await self._broker.delete(streams_key(project_id, self._process))
        except (RedisError, OSError, TimeoutError):
            pass  # it expires
        await self._broker.aclose()

    async def _publish(self, changed: Iterable[Stream]) -> None:
        by_project: dict[int, list[Stream]] = defaultdict(list)
        for stream in changed:
            by_project[stream.request.place.project_id].append(stream)
        for project_id, streams in by_project.items():
            if project_id in self._published:
                await self._write(project_id, streams)
            else:
                await self._publish_all(project_id)

    async def _confirm(self) -> None:
        """Extend the expiry of entries; publish all of them again if the broker lost them."""
        held = {stream.request.place.project_id for stream in self._hub.streams()}
        for project_id in held | self._published:
            known = await self._broker.expire(streams_key(project_id, self._process), LASTS)
            if project_id not in held:
                self._published.discard(project_id)
            elif known:
                await self._be_listed(project_id)
            else:
                await self._publish_all(project_id)

    async def _publish_all(self, project_id: int) -> None:
        await self._broker.delete(streams_key(project_id, self._process))
        streams = [
            each for each in self._hub.streams() if each.request.place.project_id == project_id
        ]
        await self._write(project_id, streams)
        await self._be_listed(project_id)
        self._published.add(project_id)

    async def _write(self, project_id: int, streams: Iterable[Stream]) -> None:
        listed = list(streams)
        for place in range(0, len(listed), AT_ONCE):
            await self._write_some(streams_key(project_id, self._process), listed[place:][:AT_ONCE])

    async def _write_some(self, key: str, streams: Iterable[Stream]) -> None:
        gone: list[str] = []
        present: dict[Any, Any] = {}
        for stream in streams:
            if self._hub.holds(stream):
                present[str(stream.number)] = json.dumps(stream.presence())
            else:
                gone.append(str(stream.number))
        pipeline = self._broker.pipeline(transaction=False)
        if present:
            pipeline.hset(key, mapping=present)
            pipeline.expire(key, LASTS)
        if gone:
            pipeline.hdel(key, *gone)
        await pipeline.execute()

    async def _be_listed(self, project_id: int) -> None:
        key, now = processes_key(project_id), time.time()
        pipeline = self._broker.pipeline(transaction=False)
        pipeline.zadd(key, {self._process: now + LASTS})
        pipeline.zremrangebyscore(key, "-inf", now)
        pipeline.expire(key, LASTS)
        await pipeline.execute()

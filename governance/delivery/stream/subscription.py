"""One subscription per process to the news from all processes."""

import asyncio
import logging
from collections.abc import Callable

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from governance.delivery.news import CHANNEL, Place, place_of

PAUSE = 0.5  # seconds between a lost subscription and the next attempt
LONGEST_PAUSE = 5.0
SILENCE = 5.0  # seconds before the broker is pinged

logger = logging.getLogger(__name__)


class Listening:
    """Calls `news` with each changed place, or with None after a gap, when any may have changed."""

    def __init__(self, url: str, news: Callable[[Place | None], None]) -> None:
        self._url = url
        self._news = news
        self._pause = PAUSE

    async def keep_listening(self) -> None:
        while True:
            try:
                await self._listen()
            except (RedisError, OSError, TimeoutError) as error:
                if self._pause == PAUSE:
                    logger.warning("Broker unavailable; streams poll for changes: %s", error)
            self._news(None)
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    async def _listen(self) -> None:
        broker = Redis.from_url(
            self._url, socket_connect_timeout=SILENCE, retry=Retry(NoBackoff(), 0)
        )
        async with broker, broker.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            pinged = False  # after a silence, to check that the broker is alive
            while True:
                message = await pubsub.get_message(timeout=SILENCE)
                match message:
                    case None if pinged:
                        raise TimeoutError("no answer to a ping")
                    case None:
                        pinged = True
                        await pubsub.ping()
                        continue
                    case {"type": "subscribe"}:
                        self._pause = PAUSE
                        self._news(None)
                    case {"type": "message", "data": bytes(data)}:
                        self._news(place_of(data))
                    case _:
                        pass  # any message shows that it is alive
                pinged = False

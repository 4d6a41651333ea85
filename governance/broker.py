"""Optional Redis queries: an unavailable broker costs half a second once."""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE = 0.5  # seconds; the longest that a deployment waits for a silent broker
SILENT_FOR = 3.0  # seconds in which callers may skip a broker that did not answer

_silent_until = 0.0

logger = logging.getLogger(__name__)


def is_silent() -> bool:
    """Whether the broker failed to respond within the last seconds."""
    return time.monotonic() < _silent_until


def query(question: Callable[["Redis"], Any]) -> Any:
    """Broker's response; None if there is no broker or it doesn't respond."""
    global _silent_until
    if not settings.REDIS_URL:
        return None
    try:
        return question(_broker(settings.REDIS_URL))
    except RedisError as error:
        _silent_until = time.monotonic() + SILENT_FOR
        logger.warning("Broker unavailable: %s", error)
        return None


@cache
def _broker(url: str) -> "Redis":
    # One immediate retry, in case the connection had been closed; after that, it is silent.
    return Redis.from_url(
        url,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        retry=Retry(NoBackoff(), 1),
    )

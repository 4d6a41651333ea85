"""Redis client with short timeouts: a late answer is worse than none."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

SILENT_FOR: Final = 3.0  # seconds without queries after the broker failed to answer

_silent_until = 0.0


def is_answering() -> bool:
    return bool(ask(lambda broker: broker.ping()))


def ask(question: Callable[[Redis], Any]) -> Any:
    """Query the broker. None if it is not configured or does not answer."""
    global _silent_until
    if not settings.REDIS_URL or time.monotonic() < _silent_until:
        return None
    try:
        return question(_broker(settings.REDIS_URL))
    except RedisError:
        _silent_until = time.monotonic() + SILENT_FOR
        return None


@lru_cache(1)
def _broker(url: str) -> Redis:
    """Cached client: connecting takes longer than a query."""
    return Redis.from_url(
        url,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )

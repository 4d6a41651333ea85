"""Redis, asked with little patience: better no answer than a late one."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

SILENT_FOR: Final = 3.0  # seconds in which a broker that did not answer is not asked again

_silent_until = 0.0


def is_answering() -> bool:
    return bool(ask(lambda broker: broker.ping()))


def ask(question: Callable[[Redis], Any]) -> Any:
    """The broker's answer; None where there is none."""
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
    """Connected once: that would take longer than to be answered."""
    return Redis.from_url(
        url,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),
    )

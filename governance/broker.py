"""Questions to Redis that nothing depends on: a broker that is away costs half a second once."""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE = 0.5  # seconds; a person who deploys waits no longer for a silent broker
SILENT_FOR = 3.0  # seconds in which a broker that did not answer is left alone where that is enough

_silent_until = 0.0

logger = logging.getLogger(__name__)


def is_silent() -> bool:
    """Whether the broker did not answer a moment ago."""
    return time.monotonic() < _silent_until


def query(question: Callable[["Redis"], Any]) -> Any:
    """The broker's answer; None when there is no broker, or none that answers."""
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
    # Once more at once, for a connection that had ended unnoticed; then it is silent.
    return Redis.from_url(
        url,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        retry=Retry(NoBackoff(), 1),
    )

"""The worker's sign of life: a key that the broker keeps for some seconds after each round, and a
file for its supervisor, which ends a worker that has given none for too long."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

KEY = "edictum-site:worker"
HEARTBEAT = "worker.heartbeat"
EVERY = 1.0  # seconds
EXPIRES_AFTER = 10  # seconds: several sweeps

SILENT_FOR = 3.0  # seconds in which a broker that did not answer is not asked again
FIRST_DUE = 30.0  # seconds after the start in which a worker may still be coming up

_began = time.monotonic()
_was_felt = False
_given = 0.0
_silent_until = 0.0


def give() -> None:
    """Called by the worker as often as it likes."""
    global _given
    now = time.monotonic()
    if now - _given >= EVERY:
        _given = now
        with suppress(OSError):  # a full disk is no reason to stop
            (settings.DATA / HEARTBEAT).touch()
        _ask(lambda broker: broker.set(KEY, "1", ex=EXPIRES_AFTER))


def is_felt() -> bool | None:
    """Whether a worker gave a sign of late; None where the broker, which would know, is silent."""
    global _was_felt
    exists = _ask(lambda broker: broker.exists(KEY))
    _was_felt = _was_felt or bool(exists)
    return None if exists is None else bool(exists)


def is_awaited() -> bool:
    """Whether this process began so lately that the first sign of a worker is not due yet."""
    return not _was_felt and time.monotonic() < _began + FIRST_DUE


def _ask(question: Callable[[Redis], Any]) -> Any:
    """The broker's answer; None where there is none, which is nobody's fault here."""
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
    """Every page asks: to connect would take longer than to be answered."""
    return Redis.from_url(
        url,
        socket_timeout=0.5,
        socket_connect_timeout=0.5,
        retry=Retry(NoBackoff(), 0),  # a page asks: better no answer than a late one
    )

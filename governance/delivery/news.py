"""News for streams, and the list of connected agents.

Redis carries both between processes and stores nothing that matters: whoever missed news compares
with the database, and connections are published again every few seconds.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

CHANNEL = "edictum-site:news"
CONNECTED = "edictum-site:connected"
STOPPED = "edictum-site:stopped"
PATIENCE = 0.5  # seconds; a person who deploys waits no longer for a silent broker
SILENT_FOR = 3.0  # seconds in which no page asks a broker that did not answer
STOP_LASTS = 30 * 24 * 3600  # seconds after which it is forgotten that an agent fetched a stop

_silent_until = 0.0

logger = logging.getLogger(__name__)


class Place(NamedTuple):
    """Project and environment; all its agents get the same news."""

    project_id: int
    environment_id: int


class Connected(NamedTuple):
    """An agent that holds a stream now."""

    agent: str
    environment: str
    bundle: str  # empty: none is assigned to it yet, or its client follows several by itself
    revision: str  # the hash of what was sent to it last, or of what it said to have
    since: float  # seconds of the epoch


def publish(project_id: int, environment_id: int) -> None:
    """Publish, after the commit, that agents there may get another document."""
    message = json.dumps(Place(project_id, environment_id))
    transaction.on_commit(
        partial(_query, lambda broker: broker.publish(CHANNEL, message)), robust=True
    )


def place_of(message: bytes) -> Place:
    """The place that one of the messages on the channel is about."""
    project_id, environment_id = json.loads(message)
    return Place(int(project_id), int(environment_id))


def connected(project_id: int) -> list[Connected] | None:
    """Agents that hold a stream of any process now; None while the broker is silent."""

    def read(broker: "Redis") -> list[Connected]:
        processes: Any = broker.zrangebyscore(processes_key(project_id), time.time(), "+inf")
        pipeline = broker.pipeline(transaction=False)
        for process in processes:
            pipeline.hvals(streams_key(project_id, process.decode()))
        agents = [Connected(*json.loads(text)) for texts in pipeline.execute() for text in texts]
        return sorted(_with_fetched(broker, project_id, agents))

    if time.monotonic() < _silent_until:
        return None
    answer: list[Connected] | None = _query(read)
    return answer


def note_fetched(
    project_id: int, environment: str, agent: str, revision: str, *, stopped: bool
) -> None:
    """Note the document that a polling agent fetched. Its stream carries none, so a stop counts as
    acknowledged when fetched, until it fetches something else."""
    if time.monotonic() < _silent_until:
        return
    key = stopped_key(project_id, environment, agent)
    _query(
        lambda broker: broker.set(key, revision, ex=STOP_LASTS) if stopped else broker.delete(key)
    )


def _with_fetched(broker: "Redis", project_id: int, agents: list[Connected]) -> Iterator[Connected]:
    keys = [
        stopped_key(project_id, each.environment, each.agent)
        for each in agents
        if not each.revision
    ]
    fetched: Any = iter(broker.mget(keys) if keys else ())
    for each in agents:
        revision = each.revision or (next(fetched) or b"").decode()
        yield each._replace(revision=revision)


def stopped_key(project_id: int, environment: str, agent: str) -> str:
    """The hash of the stop that this agent fetched last, if that was the last it fetched."""
    return f"{STOPPED}:{project_id}:{environment}:{agent}"


def processes_key(project_id: int) -> str:
    """A sorted set: each process that holds streams of this project, and until when that stands."""
    return f"{CONNECTED}:{project_id}"


def streams_key(project_id: int, process: str) -> str:
    """A hash: the streams of this project that one process holds."""
    return f"{CONNECTED}:{project_id}:{process}"


def _query(question: Callable[["Redis"], Any]) -> Any:
    """The broker's answer; None where there is none, which is nobody's fault here."""
    global _silent_until
    if not settings.REDIS_URL:
        return None
    try:
        return question(_broker(settings.REDIS_URL))
    except RedisError as error:
        _silent_until = time.monotonic() + SILENT_FOR
        logger.warning("Broker unavailable; streams will find changes by polling: %s", error)
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

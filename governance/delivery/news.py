"""News for streams, and the list of connected agents.

Redis carries both between processes and stores nothing that matters: whoever missed news compares
with the database, and connections are published again every few seconds.
"""

import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from redis import Redis

from governance import broker

CHANNEL = "edictum-site:news"
CONNECTED = "edictum-site:connected"
STOPPED = "edictum-site:stopped"
STOP_LASTS = 30 * 24 * 3600  # seconds after which it is forgotten that an agent fetched a stop


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
        partial(broker.query, lambda redis: redis.publish(CHANNEL, message)), robust=True
    )


def place_of(message: bytes) -> Place:
    """The place that one of the messages on the channel is about."""
    project_id, environment_id = json.loads(message)
    return Place(int(project_id), int(environment_id))


def connected(project_id: int) -> list[Connected] | None:
    """Agents that hold a stream of any process now; None while the broker is silent."""

    def read(redis: "Redis") -> list[Connected]:
        processes: Any = redis.zrangebyscore(processes_key(project_id), time.time(), "+inf")
        pipeline = redis.pipeline(transaction=False)
        for process in processes:
            pipeline.hvals(streams_key(project_id, process.decode()))
        agents = [Connected(*json.loads(text)) for texts in pipeline.execute() for text in texts]
        return sorted(_with_fetched(redis, project_id, agents))

    if broker.is_silent():
        return None
    answer: list[Connected] | None = broker.query(read)
    return answer


def note_fetched(
    project_id: int, environment: str, agent: str, revision: str, *, stopped: bool
) -> None:
    """Note the document that a polling agent fetched. Its stream carries none, so a stop counts as
    acknowledged when fetched, until it fetches something else."""
    if broker.is_silent():
        return
    key = stopped_key(project_id, environment, agent)
    broker.query(
        lambda redis: redis.set(key, revision, ex=STOP_LASTS) if stopped else redis.delete(key)
    )


def _with_fetched(redis: "Redis", project_id: int, agents: list[Connected]) -> Iterator[Connected]:
    keys = [
        stopped_key(project_id, each.environment, each.agent)
        for each in agents
        if not each.revision
    ]
    fetched: Any = iter(redis.mget(keys) if keys else ())
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

"""News for streams, and the list of connected agents.

Redis carries both between processes and stores nothing essential: processes compare with the
database to catch missed news, and publish connections again every few seconds.
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
STOP_LASTS = 30 * 24 * 3600  # seconds until the record of a fetched stop expires


class Place(NamedTuple):
    """Project and environment; all its agents get the same news."""

    project_id: int
    environment_id: int


class Connected(NamedTuple):
    """An agent with an open stream."""

    agent: str
    environment: str
    bundle: str  # empty: none is assigned yet, or its client follows several
    revision: str  # hash of the document last sent to it, or that it reported
    since: float  # Unix timestamp


def publish(project_id: int, environment_id: int) -> None:
    """Publish after commit that agents of this environment may get another document."""
    message = json.dumps(Place(project_id, environment_id))
    transaction.on_commit(
        partial(broker.query, lambda redis: redis.publish(CHANNEL, message)), robust=True
    )


def place_of(message: bytes) -> Place:
    """Place that a message on the channel is about."""
    project_id, environment_id = json.loads(message)
    return Place(int(project_id), int(environment_id))


def connected(project_id: int) -> list[Connected] | None:
    """Agents connected to any process; None if the broker doesn't respond."""

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
    """Record what a polling agent fetched. Its stream carries no documents, so a stop counts as
    acknowledged once fetched, until the agent fetches something else."""
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
    """Redis key of the hash of the stop, set while it is what this agent last fetched."""
    return f"{STOPPED}:{project_id}:{environment}:{agent}"


def processes_key(project_id: int) -> str:
    """Redis key of a sorted set: processes with streams of this project, by expiry."""
    return f"{CONNECTED}:{project_id}"


def streams_key(project_id: int, process: str) -> str:
    """Redis key of a hash: streams of this project in one process."""
    return f"{CONNECTED}:{project_id}:{process}"

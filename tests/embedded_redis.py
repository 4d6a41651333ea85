"""A Redis server for a single test."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis, RedisError

from edictum_site.stack import redis as embedded


@contextmanager
def running_redis(folder: Path) -> Iterator[str]:
    """Start a Redis server and yield its URL once it responds."""
    command = embedded.command(embedded.program(), folder)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"unix://{embedded.socket_in(folder)}"
    try:
        with Redis.from_url(url) as broker:
            assert answers(broker)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def answers(broker: Redis) -> bool:
    """Wait until Redis responds, since its socket exists earlier; False after 10 seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(RedisError):
            return bool(broker.ping())
        time.sleep(0.02)
    return False

"""A Redis of one test's own."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis, RedisError

from edictum_site.stack import redis as embedded


@contextmanager
def running_redis(folder: Path) -> Iterator[str]:
    """Its address, once it answers."""
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
    """Whether it does before long: its socket is there somewhat earlier."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(RedisError):
            return bool(broker.ping())
        time.sleep(0.02)
    return False

"""The supervisor's note: processes and URL of the console on a data folder."""

import json
import os
from pathlib import Path
from typing import Any

from edictum_site.stack import redis

SOCKET = b"--unixsocket"


def running(data: Path) -> dict[str, Any]:
    """Note of the console that runs on this folder; empty if none does."""
    try:
        note: dict[str, Any] = json.loads((data / "up.json").read_text())
        os.kill(note["pid"], 0)
    except (OSError, ValueError, KeyError):
        return {}
    return note


def url_of_own_redis(data: Path) -> str:
    """URL of the Redis that the console started; empty if it runs none."""
    number = running(data).get("children", {}).get("redis")
    if not number:
        return ""
    try:  # with a long data folder path, the socket is elsewhere
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        return redis.url_in(Path(os.fsdecode(words[words.index(SOCKET) + 1])).parent)
    except (OSError, ValueError, IndexError):
        return redis.url_in(data / "redis")

"""The note of a supervisor: what runs on a data folder, and where."""

import json
import os
from pathlib import Path
from typing import Any

from edictum_site.stack import redis

SOCKET = b"--unixsocket"


def running(data: Path) -> dict[str, Any]:
    """Note of the console that runs on this folder; empty when none does."""
    try:
        note: dict[str, Any] = json.loads((data / "up.json").read_text())
        os.kill(note["pid"], 0)
    except (OSError, ValueError, KeyError):
        return {}
    return note


def url_of_own_redis(data: Path) -> str:
    """Address of the Redis that the console started; empty when it runs none."""
    number = running(data).get("children", {}).get("redis")
    if not number:
        return ""
    try:  # a long data folder has the socket in another place
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        return redis.url_in(Path(os.fsdecode(words[words.index(SOCKET) + 1])).parent)
    except (OSError, ValueError, IndexError):
        return redis.url_in(data / "redis")

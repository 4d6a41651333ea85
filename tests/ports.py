"""Ports for a server that must know its port in advance, or reuse the same one later.

The system assigns ports of its ephemeral range to connections, so one of those may be in use when
the server binds it. These are below that range.
"""

import random
import socket
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 10_000


def free_port() -> int:
    first_of_system = int(RANGE.read_text().split()[0]) if RANGE.exists() else 32_768
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(LOWEST, max(first_of_system, LOWEST + 10_000))
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port

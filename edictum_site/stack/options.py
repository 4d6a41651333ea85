"""Start options from the environment. An invalid one aborts the start with a one-line error."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from edictum_site.database import databases
from edictum_site.env import (
    SettingInvalid,
    broker_url,
    data_folder,
    env_archive,
    env_artifacts,
    env_head_seconds,
    env_int,
    env_logs,
    env_proxies,
    env_secret,
    env_str,
    env_url,
    env_worker_silence,
)
from edictum_site.program.place import PROGRAM_NAME
from edictum_site.stack.private import make_private


class StartRefused(Exception):
    """Startup error; the message is one sentence for the operator."""


class Options(NamedTuple):
    host: str
    port: int
    data: Path
    redis_url: str  # empty: the embedded Redis
    worker_silence: int  # seconds

    @classmethod
    def from_environment(cls) -> "Options":
        try:
            port = env_int("PORT", 8000)
            if not 0 <= port <= 65535:
                raise StartRefused(f"PORT must be between 0 and 65535, not {port}.")
            options = cls(
                env_str("HOST", "127.0.0.1"),
                port,
                data_folder(),
                broker_url(),
                env_worker_silence(),
            )
            # Only validated here.
            env_head_seconds()
            env_logs()
            env_proxies("EDICTUM_SITE_PROXIES")
            env_url("EDICTUM_SITE_URL")
            env_artifacts()
            env_archive()
            url, replica = env_secret("DATABASE_URL"), env_secret("DATABASE_REPLICA_URL")
            databases(url, replica, options.data)
        except SettingInvalid as invalid:
            raise StartRefused(str(invalid)) from None
        return options


def locked_data_folder(folder: Path) -> IO[str]:
    """Create the data folder, check that it is writable, and lock it while the returned file is
    open."""
    _make(folder)
    refusal = f"Edictum Site is already running on the data folder {folder}."
    return _locked(folder / "up.lock", fcntl.LOCK_EX, refusal)


@contextmanager
def locked_for_role(folder: Path, process: str) -> Iterator[None]:
    """Hold a shared lock on the folder, with other roles on this machine, and an exclusive lock for
    this process name."""
    _make(folder)
    everything = f"`{PROGRAM_NAME} up` is running on the data folder {folder}."
    own = f"A {process} process is already running on the data folder {folder}."
    with (
        _locked(folder / "up.lock", fcntl.LOCK_SH, everything),
        _locked(folder / f"{process}.lock", fcntl.LOCK_EX, own),
    ):
        yield


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "log").mkdir(exist_ok=True)
        make_private(folder)
        (folder / "up.lock").touch()
    except OSError as error:
        raise StartRefused(
            f"Cannot write to the data folder {folder} ({error.strerror})."
            " Set EDICTUM_SITE_DATA to another folder."
        ) from None


def _locked(path: Path, kind: int, refusal: str) -> IO[str]:
    lock = path.open("a+")
    try:
        # The system releases the lock however this process ends.
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise StartRefused(
            f"{refusal} Stop it, or set EDICTUM_SITE_DATA to another folder."
        ) from None
    return lock

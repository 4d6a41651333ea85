"""Permissions of the data folder: everything in it is private to the user of this process."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

FOR_OTHERS: Final = 0o077
# By name: a data folder may be one that holds other things too.
OURS: Final = (
    *("edictum-site.sqlite3*", "secret-key*", "*.lock", "static.stamp"),
    *("up.json", "web.json", "worker.json", "jobs.json", "scheduler.json"),
    "worker.heartbeat",
    *("log", "log/*", "artifacts", "uploads", "claims", "redis", "static"),
)


def keep_new_files_private() -> None:
    """Those of this process and of the ones it starts."""
    os.umask(FOR_OTHERS)


def make_private(folder: Path) -> None:
    """The folder, and what an earlier start or another hand left in it open to others."""
    for path in open_to_others(folder):
        with suppress(OSError):  # it is another user's, or gone meanwhile
            path.chmod(path.stat().st_mode & ~FOR_OTHERS & 0o7777)


def open_to_others(folder: Path) -> list[Path]:
    """The folder, and those of its files and folders, that other users can read or write."""
    paths = [folder, *(path for name in OURS for path in folder.glob(name))]
    return [path for path in paths if _mode(path) & FOR_OTHERS]


def _mode(path: Path) -> int:
    with suppress(OSError):  # gone meanwhile
        return path.stat().st_mode
    return 0

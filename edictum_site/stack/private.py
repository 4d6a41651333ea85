"""Permissions of the data folder: only this process's user can access its contents."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

FOR_OTHERS: Final = 0o077
# By name, as the data folder may contain other files too.
OURS: Final = (
    *("edictum-site.sqlite3*", "secret-key*", "*.lock", "static.stamp"),
    *("up.json", "web.json", "worker.json", "jobs.json", "scheduler.json"),
    "worker.heartbeat",
    *("log", "log/*", "artifacts", "uploads", "claims", "redis", "static"),
)


def keep_new_files_private() -> None:
    """Set the umask of this process and its children, so that new files are private."""
    os.umask(FOR_OTHERS)


def make_private(folder: Path) -> None:
    """Remove other users' access to the folder and to our files in it."""
    for path in open_to_others(folder):
        with suppress(OSError):  # owned by another user, or deleted meanwhile
            path.chmod(path.stat().st_mode & ~FOR_OTHERS & 0o7777)


def open_to_others(folder: Path) -> list[Path]:
    """Paths that other users can access: the folder itself, and our files and folders in it."""
    paths = [folder, *(path for name in OURS for path in folder.glob(name))]
    return [path for path in paths if _mode(path) & FOR_OTHERS]


def _mode(path: Path) -> int:
    with suppress(OSError):  # deleted meanwhile
        return path.stat().st_mode
    return 0

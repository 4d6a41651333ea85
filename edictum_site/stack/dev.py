"""`make dev`: `manage.py up` in debug mode, restarted when Python code changes.

Templates, styles and scripts need no restart: in debug mode each request reads them from disk.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from edictum_site.env import data_folder
from edictum_site.program.place import BASE, manage_command

SOURCES: Final = tuple(BASE / name for name in ("edictum_site", "governance", "outcomes"))
RESTARTED: Final = ("web", "worker", "jobs")
POLL_SECONDS: Final = 0.5


def modified_times(folders: Iterable[Path]) -> dict[Path, int]:
    """Modification time of every Python file below these folders, in nanoseconds."""
    times = {}
    for folder in folders:
        for path in folder.rglob("*.py"):
            with suppress(FileNotFoundError):  # an editor is replacing it
                times[path] = path.stat().st_mtime_ns
    return times


def restart(note: Path) -> None:
    """Stop web and workers. The supervisor starts them again with the new code."""
    with suppress(FileNotFoundError, ProcessLookupError):
        children = json.loads(note.read_text())["children"]
        for name in RESTARTED:
            if pid := children.get(name):
                os.kill(pid, signal.SIGTERM)


def run(folders: Iterable[Path] = SOURCES) -> int:
    folders = tuple(folders)
    note = data_folder() / "up.json"
    env = os.environ | {"EDICTUM_SITE_DEBUG": "1"}
    supervisor = subprocess.Popen(manage_command("up"), env=env)
    # Ctrl-C also reaches the supervisor, which reports the stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: supervisor.terminate())
    times = modified_times(folders)
    while supervisor.poll() is None:
        time.sleep(POLL_SECONDS)
        newest = modified_times(folders)
        if newest != times:
            times = newest
            restart(note)
    return supervisor.returncode


if __name__ == "__main__":
    sys.exit(run(map(Path, sys.argv[1:]) if sys.argv[1:] else SOURCES))

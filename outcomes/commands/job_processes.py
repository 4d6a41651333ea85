"""The processes that run jobs beside the worker: started when some wait, gone when none do.

The worker has one thread, and it settles. A thread of its own would share the interpreter with it,
and a worker of its own would take memory all day; these belong to the worker's process group and
end with it.
"""

import os
import subprocess
import sys
import threading
from typing import Final

from django.conf import settings

AT_MOST: Final = min(os.cpu_count() or 1, 2)

_lock = threading.Lock()
_running: list[subprocess.Popen[bytes]] = []


def see_to_it(waiting: int) -> None:
    """Called again and again: starts processes as far as they are needed and not there."""
    with _lock:
        _running[:] = [each for each in _running if each.poll() is None]
        while len(_running) < min(waiting, AT_MOST):
            _running.append(_started())


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(settings.BASE / "manage.py"), "run_jobs"],
        stdin=subprocess.DEVNULL,
        cwd=settings.BASE,
    )

"""The process that runs backtests beside the worker: started when one waits, gone when none does.

The worker has one thread, and it settles. A thread of its own would share the interpreter with it,
and a worker of its own would take memory all day; this one belongs to the worker's process group
and ends with it.
"""

import subprocess
import sys
import threading

from django.conf import settings

_lock = threading.Lock()
_running: subprocess.Popen[bytes] | None = None


def see_to_it(*, waiting: bool) -> None:
    """Called again and again: starts the process where one is needed and none is there."""
    global _running
    with _lock:
        if _running is not None and _running.poll() is None:
            return
        _running = _started() if waiting else None


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(settings.BASE / "manage.py"), "run_backtests"],
        stdin=subprocess.DEVNULL,
        cwd=settings.BASE,
    )

"""Thread in each process that reports it to the other hosts every few seconds."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from django.db import DatabaseError, connection
from django.utils import timezone

from outcomes.hosts.commands import report, sign_off
from outcomes.hosts.domain import EVERY
from outcomes.hosts.fingerprints import fingerprint

logger = logging.getLogger(__name__)

# The pool forks between reports: a child must not inherit locks held during one.
_reporting: Final = threading.Lock()


def start_reporting(
    processes: Mapping[str, str],
    *,
    lives: Callable[[], bool] = lambda: True,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Start the thread. `processes` maps names to queues, `lives` reports whether the process still
    works, and `after` runs in the thread after each report."""
    os.register_at_fork(
        before=_reporting.acquire,
        after_in_parent=_reporting.release,
        after_in_child=_reporting.release,
    )
    started_at, owner = timezone.now(), os.getpid()

    def report_once() -> None:
        if lives():
            seen = fingerprint()
            for process, queues in processes.items():
                report(process, seen, started_at=started_at, queues=queues)
        after()

    def run() -> None:
        is_reported = True
        while True:
            is_reported = _report_safely(report_once, was_reported=is_reported)
            time.sleep(EVERY)

    def end() -> None:
        if os.getpid() == owner:  # not in a child of the pool
            with suppress(DatabaseError):
                sign_off(list(processes))

    atexit.register(end)
    threading.Thread(target=run, name="host report", daemon=True).start()


def _report_safely(report_once: Callable[[], None], *, was_reported: bool) -> bool:
    """Report, and return whether it succeeded. A failure is logged once, not every few seconds."""
    with _reporting:
        try:
            report_once()
        except Exception as error:  # noqa: BLE001 - the thread has to outlive it, whatever it is
            if was_reported:
                logger.warning("This host cannot be reported: %s", error)
            return False
        finally:
            connection.close()  # a fork must not inherit it open
        return True

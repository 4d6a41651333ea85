"""Base of commands that the worker starts as child processes."""

import os
import signal
import sys
import threading
import time
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

WATCH: Final = 0.25  # seconds
GRACE: Final = 2.0  # seconds to clean up before a hard exit


class WorkerChild(BaseCommand):
    """Command that exits with its worker. Without `--worker`, it isn't tied to a process."""

    requires_system_checks: list[str] = []  # the worker has checked

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--worker", type=int, help="end when this process, the parent, has")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["worker"] is not None:
            watch = threading.Thread(target=_end_with, args=(options["worker"],), daemon=True)
            watch.start()
        self.work()

    def work(self) -> None:
        """Run the command."""
        raise NotImplementedError


def exit_on_sigterm() -> None:
    """Exit by an exception on SIGTERM, so that others take over its work. Main thread only."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(*_: object) -> None:
    # A second SIGTERM, when the worker exits too, must not interrupt the exit in progress.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _end_with(worker: int) -> None:
    """Exit with the worker. Polls, since the kernel's signal fires when the starting thread ends.

    An orphan gets a new parent, so this also notices a worker that died before polling began.
    """
    while os.getppid() == worker:
        time.sleep(WATCH)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)

"""Base of commands that the worker starts as child processes."""

import os
import signal
import sys
import threading
import time
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser

WATCH: Final = 0.25  # seconds
GRACE: Final = 2.0  # for taking back what is in hand


class WorkerChild(BaseCommand):
    """Ends with the worker. Run by hand without `--worker`, it ends by hand."""

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
    """End by an exception: others take up what this process has in hand. In the main thread."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(*_: object) -> None:
    # The second word, when the worker ends too, must not cut short what the first one began.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def _end_with(worker: int) -> None:
    """Not by a signal of the system's: that comes when the thread ends that started this process.

    Whoever has lost its parent has another, so one that died before this began is noticed, too.
    """
    while os.getppid() == worker:
        time.sleep(WATCH)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)

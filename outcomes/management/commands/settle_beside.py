"""A process that settles beside the worker where much waits. The worker starts it."""

import gc
import os
import signal
import sys
import time
from typing import Any, Final

from django.core.management.base import BaseCommand

from outcomes import commands

IDLE: Final = 2.0  # seconds without anything to do after which it ends
PAUSE: Final = 0.02


class Command(BaseCommand):
    help = "Settle beside the worker while there is something to settle, and end."
    requires_system_checks: list[str] = []  # the worker has checked

    def handle(self, *args: Any, **options: Any) -> None:
        # What is asked to stop takes back what it has in hand, and others settle it.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        gc.freeze()
        worker, busy_at = os.getppid(), time.monotonic()
        while os.getppid() == worker and time.monotonic() - busy_at < IDLE:
            if commands.settle_inbox():
                busy_at = time.monotonic()
            else:
                time.sleep(PAUSE)

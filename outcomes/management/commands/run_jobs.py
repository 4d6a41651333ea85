"""A process for jobs: it carries out those that wait and ends. The worker starts it."""

import gc
import os
import signal
import sys
from typing import Any

from django.core.management.base import BaseCommand

from outcomes import commands

POLITENESS = 10  # agents, pages and the worker that settles come first


class Command(BaseCommand):
    help = "Carry out the jobs that wait, one after the other, and end."
    requires_system_checks: list[str] = []  # pages wait for the first word of a result

    def handle(self, *args: Any, **options: Any) -> None:
        # What is asked to stop puts its job back, so that the next process takes it up.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        os.nice(POLITENESS)
        # It makes thousands of small things that live on, and no circles to look for.
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        # Somebody waits for the second and the third, and a look stands back for them, though not
        # for ever; more may have come.
        while (
            commands.run_overdue_look()
            or commands.run_waiting_backtests(1)
            or commands.run_waiting_parts(1)
            or commands.run_waiting_removals()
            or commands.run_waiting_looks()
            or commands.look_through_old_calls()
        ):
            pass

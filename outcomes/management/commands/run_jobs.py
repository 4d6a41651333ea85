"""A process for jobs: it carries out those that wait and ends. The worker starts it."""

import gc
import os

from outcomes.backtesting.commands import run_waiting_backtests
from outcomes.management.beside import BesideTheWorker, take_back_when_asked_to_stop
from outcomes.reclassification.commands.parts import run_waiting_parts
from outcomes.sessions.commands.removal import run_waiting_removals
from outcomes.settling.older_calls import look_through_old_calls
from outcomes.suggestions.commands.scans import run_overdue_look, run_waiting_looks

POLITENESS = 10  # agents, pages and the worker that settles come first


class Command(BesideTheWorker):
    help = "Carry out the jobs that wait, one after the other, and end."

    def work(self) -> None:
        take_back_when_asked_to_stop()  # by putting back the job
        os.nice(POLITENESS)
        # It makes thousands of small things that live on, and no circles to look for.
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        # Somebody waits for the second and the third, and a look stands back for them, though not
        # for ever; more may have come.
        while (
            run_overdue_look()
            or run_waiting_backtests(1)
            or run_waiting_parts(1)
            or run_waiting_removals()
            or run_waiting_looks()
            or look_through_old_calls()
        ):
            pass

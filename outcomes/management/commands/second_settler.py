"""Second settling process, started by the worker when the backlog is large."""

import gc
import time
from typing import Final

from outcomes.management.worker_child import WorkerChild, exit_on_sigterm
from outcomes.settling.decode import Ahead
from outcomes.settling.settle import settle_inbox

IDLE: Final = 2.0  # seconds without work before it exits
PAUSE: Final = 0.02


class Command(WorkerChild):
    help = "Settle beside the worker while there is something to settle, and end."

    def work(self) -> None:
        exit_on_sigterm()
        gc.freeze()
        busy_at = time.monotonic()
        with Ahead() as ahead:
            while time.monotonic() - busy_at < IDLE:
                if settle_inbox(ahead):
                    busy_at = time.monotonic()
                else:
                    time.sleep(PAUSE)

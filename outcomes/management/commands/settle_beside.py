"""A process that settles beside the worker where much waits. The worker starts it."""

import gc
import time
from typing import Final

from outcomes.management.beside import BesideTheWorker, take_back_when_asked_to_stop
from outcomes.settling.prefetch import Ahead
from outcomes.settling.settle import settle_inbox

IDLE: Final = 2.0  # seconds without anything to do after which it ends
PAUSE: Final = 0.02


class Command(BesideTheWorker):
    help = "Settle beside the worker while there is something to settle, and end."

    def work(self) -> None:
        take_back_when_asked_to_stop()
        gc.freeze()
        busy_at = time.monotonic()
        with Ahead() as ahead:
            while time.monotonic() - busy_at < IDLE:
                if settle_inbox(ahead):
                    busy_at = time.monotonic()
                else:
                    time.sleep(PAUSE)

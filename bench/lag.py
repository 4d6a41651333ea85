"""Measures the time from a batch's post until it is settled and its row leaves the inbox."""

import threading
import time

from bench.stores import Store

PAUSE = 0.003  # measured lags are too long by up to this plus one query, never too short
PATIENCE = 60.0


class InboxWatch:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[int, float] = {}
        self._lags: list[float] = []
        self._posting = True
        self._thread = threading.Thread(target=self._watch)

    def start(self) -> None:
        self._thread.start()

    def add(self, batch: int, since: float) -> None:
        self._waiting[batch] = since

    def finish(self) -> list[float]:
        """Wait until the inbox is empty and return all lags, without batches that never left it."""
        self._posting = False
        self._thread.join()
        return self._lags

    def _watch(self) -> None:
        connection = self._store.connect()
        deadline = 0.0
        while self._posting or self._waiting:
            # Read acknowledged batches before the inbox: those missing in the inbox are settled.
            acknowledged = list(self._waiting.items())
            there = {row[0] for row in connection.execute("SELECT id FROM outcomes_batch")}
            now = time.monotonic()
            for batch, since in acknowledged:
                if batch not in there:
                    del self._waiting[batch]
                    self._lags.append(now - since)
            deadline = deadline or (0.0 if self._posting else now + PATIENCE)
            if deadline and now > deadline:
                break
            time.sleep(PAUSE)
        connection.close()

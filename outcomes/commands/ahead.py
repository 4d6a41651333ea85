"""The batches of the next claim, read while the statements of this one wait for PostgreSQL.

Reading is a third of what settling costs and asks the database nothing, so with a server on the
other core it costs no time at all. SQLite works in this very process and hands the interpreter
over at every row: there it would be slower.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from django.db import connection

from outcomes.commands.at_work import at_work
from outcomes.commands.claims import ITEMS, after
from outcomes.commands.reading import ReadBatch, read_batch

log = logging.getLogger(__name__)


class Ahead:
    """Nothing is claimed by it: a batch that another worker settles meanwhile was read in vain."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._under_way: Future[dict[int, ReadBatch]] | None = None

    def look(self, settled: int, *, last: int) -> None:
        """Begin with what waits behind the claim that ends with this batch, if that was full."""
        if connection.vendor != "postgresql" or settled < ITEMS[connection.vendor]:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._under_way = self._thread.submit(_read_after, last)

    def take(self) -> Mapping[int, ReadBatch]:
        under_way, self._under_way = self._under_way, None
        return under_way.result() if under_way is not None else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._thread.submit(_leave)
            self._thread.shutdown()


def _read_after(last: int) -> dict[int, ReadBatch]:
    try:
        batches = after(last)
        if not batches:
            return {}
        with at_work(batch.id for batch in batches):
            return {batch.id: read_batch(batch) for batch in batches}
    except Exception:
        # Whose fault it is shows where it is settled.
        log.info("The next claim could not be read ahead", exc_info=True)
        return {}


def _leave() -> None:
    connection.close()  # each thread has its own

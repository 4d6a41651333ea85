"""The batches of the next claim, read while the statements of this one wait for PostgreSQL.

Reading is a third of what settling costs and asks the database nothing, so with a server on the
other core it costs no time at all. SQLite works in this very process: nobody waits there.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Self

from outcomes.database import IS_SERVER
from outcomes.settling.claims import Claimed, after, is_full
from outcomes.settling.crash_markers import at_work
from outcomes.settling.decode import ReadBatch, read_batch

log = logging.getLogger(__name__)


class Ahead:
    """Nothing is claimed by it: a batch that another worker settles meanwhile was read in vain."""

    def __init__(self) -> None:
        self._read: dict[int, ReadBatch] = {}
        self._left: Iterator[None] = iter(())

    def start(self, settled: int, *, last: int) -> None:
        """Fetch what waits behind the claim that ends with this batch, if that was full."""
        if IS_SERVER and is_full(settled):
            self._left = self._reading(after(last))

    def go_on(self) -> bool:
        """Read one batch more; false where none is left."""
        return next(self._left, "") is None

    def take(self) -> Mapping[int, ReadBatch]:
        """Batches decoded so far; settling decodes the rest."""
        read, self._read, self._left = self._read, {}, iter(())
        return read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.take()

    def _reading(self, batches: list[Claimed]) -> Iterator[None]:
        try:
            with at_work(batch.id for batch in batches):
                for batch in batches:
                    self._read[batch.id] = read_batch(batch)
                    yield
        except Exception:
            # Whose fault it is shows where it is settled.
            log.info("Prefetching the next claim failed", exc_info=True)

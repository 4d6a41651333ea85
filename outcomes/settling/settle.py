"""Settling: turns accepted items into calls, counts and sessions, in one transaction."""

import gc
import logging

from django.db import InterfaceError, OperationalError, connection

from outcomes.artifacts.commands.faults import fault_of, let_all_try_again, note_fault
from outcomes.models.faults import end_session_if_read_only, is_passing
from outcomes.models.inbox import STORE
from outcomes.settling.claims import (
    SettledElsewhere,
    claimed,
    consumed,
    left_behind,
    note_death,
    note_failure,
    to_try_alone,
)
from outcomes.settling.decode import Ahead, read
from outcomes.settling.write import write

logger = logging.getLogger(__name__)


def settle_inbox(ahead: Ahead | None = None) -> int:
    """Settle waiting batches and return the number of items, or zero if none are waiting.

    It is atomic even if killed. If a claim fails or kills its worker, its batches are retried one
    by one beside new ones, so a bad batch delays no other. A batch that meets a store fault (full
    disk, unmounted folder) waits until the fault ends, and the others continue.
    """
    for batches in left_behind():
        logger.error("A worker died while it settled the batches %s", batches)
        note_death(batches)
    settled = _settle_fresh(ahead)
    suspect = to_try_alone()
    if suspect is None:
        return settled
    items = _settle_alone(suspect.id)
    if items and suspect.fault == STORE:
        let_all_try_again()
    return settled + items


def _settle_fresh(ahead: Ahead | None) -> int:
    tried: list[int] = []
    # A claim allocates hundreds of thousands of objects but no reference cycles. Repeated garbage
    # collections would take a sixth of its time.
    gc.disable()
    try:
        return _settle(tried, ahead)
    except SettledElsewhere:
        return 1  # there may be more; the other worker settles those
    except Exception as error:
        end_session_if_read_only(error)
        if not tried or is_passing(error) or _is_gone():
            raise
        logger.warning(
            "Settling a claim failed; its batches are retried one by one",
            exc_info=None if fault_of(error) else error,
        )
    finally:
        gc.enable()
    return sum(_settle_alone(batch) for batch in tried) or 1


def _settle(tried: list[int], ahead: Ahead | None = None, *, only: int | None = None) -> int:
    with claimed(only=only) as batches:
        if not batches:
            return 0
        tried.extend(batch.id for batch in batches)
        reading = read(batches, ahead.take() if ahead else {})
        if ahead:
            ahead.start(reading.items, last=batches[-1].id)
        with consumed(batches):
            write(reading, ahead.go_on if ahead else None)
    return reading.items


def _settle_alone(batch: int) -> int:
    try:
        return _settle([], only=batch)
    except SettledElsewhere:
        return 0
    except Exception as error:
        end_session_if_read_only(error)
        if is_passing(error) or _is_gone():
            raise
        if fault := fault_of(error):
            logger.error("Batch %d is postponed: %s", batch, error)
            note_fault(batch, fault, error)
            return 0
        logger.exception("Settling batch %d failed", batch)
        note_failure(batch, error)
        return 1  # not zero: others may be waiting behind it


def _is_gone() -> bool:
    """Whether the database itself is unavailable, which is not the batch's fault."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (OperationalError, InterfaceError):
        connection.close()
        return True
    return False

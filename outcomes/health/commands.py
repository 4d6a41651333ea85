"""Readiness: whether a post would be accepted now, probed by an insert that is rolled back."""

import logging
from contextlib import suppress
from typing import Final

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from outcomes.core import artifact_store
from outcomes.core.cached import Cached
from outcomes.health.domain import Problem
from outcomes.health.queries import schema_problem
from outcomes.ingest.commands.accept import insert_trial_row
from outcomes.ingest.commands.back_pressure import why_refused
from outcomes.ingest.domain import Post
from outcomes.ingest.queries.capacity import artifact_disk, bounds
from outcomes.models.faults import end_session_if_read_only, is_read_only

REFRESHED_EVERY: Final = 1.0  # seconds
PATIENCE: Final = 3.0  # seconds

logger = logging.getLogger(__name__)


def problems() -> tuple[Problem, ...]:
    """Empty when a post would be accepted."""
    if _state.overdue <= PATIENCE:
        with suppress(TimeoutError):
            return _state.get()
    return (Problem("database", f"The database has not answered for {_state.overdue:.0f} s."),)


def forget() -> None:
    _state.forget()


def _try_all() -> tuple[Problem, ...]:
    of_database = _of_database()
    found = [of_database] if of_database else [_of_schema(), _of_inbox()]
    return tuple(each for each in [*found, _of_store()] if each)


def _of_database() -> Problem | None:
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL statement_timeout = {int(PATIENCE * 1_000)}")
            insert_trial_row(timezone.now())
            transaction.set_rollback(True)
    except DatabaseError as error:
        end_session_if_read_only(error)
        logger.warning("A post would not be accepted: %s", error)
        # The server's own words may name more than strangers should know.
        detail = "is read-only" if _writes_nothing(error) else "does not accept a post"
        return Problem("database", f"The database {detail}.")
    return None


def _writes_nothing(error: DatabaseError) -> bool:
    return is_read_only(error) or "readonly" in str(error)


def _of_schema() -> Problem | None:
    try:
        why = schema_problem()
    except DatabaseError:
        why = "The migrations of the database cannot be read."
    return Problem("schema", why) if why else None


def _of_inbox() -> Problem | None:
    try:
        why = why_refused(Post.OUTCOMES)
    except (DatabaseError, OSError):
        why = "The inbox cannot be read."
    return Problem("inbox", why) if why else None


def _of_store() -> Problem | None:
    try:
        why = bounds().why_no_room(artifact_disk())
        if not why:
            artifact_store.try_to_write()
    except OSError as error:
        why = f"The artifact store cannot be written: {error.strerror or error}."
    return Problem("artifacts", why) if why else None


_state: Final = Cached(_try_all, seconds=REFRESHED_EVERY)

"""Readiness: whether a post would be accepted now, probed by an insert that is rolled back. Also
records the schema generation after a migration."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from django.db import DatabaseError, transaction
from django.utils import timezone

from outcomes.core import artifact_store
from outcomes.core.cached import Cached
from outcomes.core.schema import GENERATION, OLDEST
from outcomes.database import limit_statements
from outcomes.database.reading import has_replica, replica_fault
from outcomes.health.domain import Problem
from outcomes.health.queries import schema_problem
from outcomes.hosts import worker_state
from outcomes.hosts.queries import HostRow, hosts, is_scheduler_up, is_worker_up
from outcomes.ingest.commands.accept import insert_trial_row
from outcomes.ingest.commands.back_pressure import why_refused
from outcomes.ingest.domain import Post
from outcomes.ingest.queries.capacity import artifact_disk, bounds
from outcomes.ingest.queries.inbox import kinds_of_faults
from outcomes.models import SchemaState
from outcomes.models.faults import end_session_if_read_only, is_read_only

REFRESHED_EVERY: Final = 1.0  # seconds
BUCKET_TRIED_EVERY: Final = 15.0  # seconds; each probe is a billed request
REPLICA_TRIED_EVERY: Final = 5.0  # seconds
PATIENCE: Final = 3.0  # seconds

logger = logging.getLogger(__name__)


def problems() -> tuple[Problem, ...]:
    """Reasons why a post would be rejected now; empty if it would be accepted."""
    if _state.overdue <= PATIENCE:
        with suppress(TimeoutError):
            return _state.get()
    return (Problem("database", f"The database has not answered for {_state.overdue:.0f} s."),)


class Installation(NamedTuple):
    faults: Sequence[str]  # fault kinds of batches in any project
    worker: str
    scheduler: str
    hosts: Sequence[HostRow]


def installation() -> Installation:
    """State of all hosts, queried at most once a second."""
    return _installation.get()


def store_fault() -> str:
    """Reason why no artifact can be stored now, or empty."""
    if artifact_store.place().folder is not None:
        return _why_not_writable()
    with suppress(TimeoutError):  # another thread is running the first probe
        return _bucket.get()
    return ""


def replica_problem() -> str:
    """Reason why pages can't read from the replica; empty if they can, or if none is configured."""
    if not has_replica():
        return ""
    with suppress(TimeoutError):  # another thread is running the first probe
        return _replica.get()
    return "The replica does not answer."


def note_schema() -> None:
    """Record the schema that this version migrated to, for older code that finds it."""
    state = {"generation": GENERATION, "oldest": OLDEST}
    if not SchemaState.objects.filter(pk=1, **state).exists():
        SchemaState.objects.update_or_create(pk=1, defaults=state)


def forget() -> None:
    for each in (_state, _bucket, _replica, _installation):
        each.forget()


def _try_all() -> tuple[Problem, ...]:
    database_problem = _database_problem()
    problems = [database_problem] if database_problem else [_schema_problem(), _inbox_problem()]
    return tuple(each for each in [*problems, _store_problem()] if each)


def _database_problem() -> Problem | None:
    try:
        with transaction.atomic():
            limit_statements(PATIENCE)
            insert_trial_row(timezone.now())
            transaction.set_rollback(True)
    except DatabaseError as error:
        end_session_if_read_only(error)
        logger.warning("Not ready to accept posts: %s", error)
        # The server's message may contain details that strangers must not see.
        detail = "is read-only" if _writes_nothing(error) else "does not accept a post"
        return Problem("database", f"The database {detail}.")
    return None


def _writes_nothing(error: DatabaseError) -> bool:
    return is_read_only(error) or "readonly" in str(error)


def _schema_problem() -> Problem | None:
    try:
        why = schema_problem()
    except DatabaseError:
        why = "The migrations of the database cannot be read."
    return Problem("schema", why) if why else None


def _inbox_problem() -> Problem | None:
    try:
        why = why_refused(Post.OUTCOMES)
    except (DatabaseError, OSError):
        why = "The inbox cannot be read."
    return Problem("inbox", why) if why else None


def _store_problem() -> Problem | None:
    try:
        disk = artifact_disk()
        why = bounds().why_no_room(disk) if disk else ""
    except OSError as error:
        return Problem("artifacts", _not_writable(error))
    why = why or store_fault()
    return Problem("artifacts", why, blocks=disk is not None) if why else None


def _why_not_writable() -> str:
    try:
        artifact_store.try_to_write()
    except OSError as error:
        return _not_writable(error)
    return ""


def _not_writable(error: OSError) -> str:
    return f"The artifact store cannot be written: {error.strerror or error}."


def _read_installation() -> Installation:
    scheduler = "up" if is_scheduler_up() else "silent"
    return Installation(kinds_of_faults(), _worker_words(), scheduler, hosts())


def _worker_words() -> str:
    if worker_state.note(is_felt=is_worker_up()):
        return "up"
    return "starting" if worker_state.is_awaited() else "silent"


_bucket: Final = Cached(_why_not_writable, seconds=BUCKET_TRIED_EVERY)
_replica: Final = Cached(replica_fault, seconds=REPLICA_TRIED_EVERY)
_state: Final = Cached(_try_all, seconds=REFRESHED_EVERY)
_installation: Final = Cached(_read_installation, seconds=REFRESHED_EVERY)

"""Connection for reading: the database, or its replica if a request allows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

REPLICA: Final = "replica"
NEVER: Final = float("inf")
_STATE: Final = """
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() - '0/0'::pg_lsn,
  EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp())
"""
_IDENTITY: Final = "SELECT system_identifier FROM pg_control_system()"
_POSITION: Final = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"

_alias: Final[ContextVar[str]] = ContextVar("reading", default=DEFAULT_DB_ALIAS)


def reading_alias() -> str:
    return _alias.get()


def reading() -> BaseDatabaseWrapper:
    return connections[_alias.get()]


@contextmanager
def reads_from(alias: str) -> Iterator[None]:
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


@dataclass(frozen=True, slots=True)
class ReplicaState:
    is_standby: bool  # of the same server, not promoted
    position: int  # bytes of the write-ahead log replayed
    behind: float  # seconds since the last replayed transaction

    @property
    def fault(self) -> str:
        """Reason why pages can't read from it, or empty."""
        if not self.is_standby:
            return "The replica is not a standby of this database."
        if self.behind == NEVER:
            return "The replica has replayed nothing yet."
        if self.behind > settings.REPLICA_LAG:
            return f"The replica is {self.behind:.0f} s behind."
        return ""


def has_replica() -> bool:
    return REPLICA in settings.DATABASES


def replica_state() -> ReplicaState:
    """State of the replica. Raises DatabaseError if it does not answer. Hosts report every few
    seconds, so even an idle installation has something to replay."""
    with connections[REPLICA].cursor() as cursor:
        cursor.execute(_STATE)
        is_standby, position, behind = cursor.fetchone()
    if not is_standby or position is None or behind is None:
        return ReplicaState(bool(is_standby), 0, NEVER)
    return ReplicaState(_is_of_this_server(), int(position), max(0.0, float(behind)))


def replica_fault() -> str:
    """Reason why pages can't read from the replica; empty if they can, or if none is configured."""
    if not has_replica():
        return ""
    try:
        return replica_state().fault
    except DatabaseError:
        return "The replica does not answer."


def position_now() -> int:
    """Position in the write-ahead log after all commits so far, in bytes."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_POSITION)
        return int(cursor.fetchone()[0])


def _is_of_this_server() -> bool:
    """Whether the replica belongs to this server. Cached once true: that can't change."""
    global _is_known
    _is_known = _is_known or _identity(REPLICA) == _identity(DEFAULT_DB_ALIAS)
    return _is_known


def _identity(alias: str) -> int:
    with connections[alias].cursor() as cursor:
        cursor.execute(_IDENTITY)
        return int(cursor.fetchone()[0])


_is_known = False

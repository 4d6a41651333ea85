"""Transient faults of the database."""

from typing import Final

from django.db import InterfaceError, InternalError, OperationalError, connection

READ_ONLY: Final = "25006"  # a standby, or a server set to read-only
_CLASSES: Final = {"08", "40", "53", "55", "57", "58"}  # PostgreSQL error classes
_WORDS: Final = ("locked", "disk is full", "disk I/O", "readonly", "unable to open")  # of SQLite


def is_passing(error: Exception) -> bool:
    """Whether an error is transient: deadlock, lock, full disk, server stopping or read-only."""
    if is_read_only(error):
        return True
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    if state is not None:
        return state[:2] in _CLASSES
    return any(word in str(error) for word in _WORDS)


def is_read_only(error: BaseException | None) -> bool:
    """Whether an error means that the database is read-only. Django raises InternalError for it."""
    return (
        isinstance(error, InternalError) and getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    )


def end_session_if_read_only(error: BaseException | None) -> None:
    """Close a read-only connection: its session stays read-only even if the database does not."""
    if is_read_only(error) and not connection.in_atomic_block:
        connection.close()


def is_away(error: Exception) -> bool:
    """Whether to answer a request with *try again*. None of its data was stored."""
    return isinstance(error, OperationalError) or is_read_only(error)

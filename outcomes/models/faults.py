"""Transient faults of the database."""

from typing import Final

from django.db import InterfaceError, InternalError, OperationalError, connection

READ_ONLY: Final = "25006"  # a standby, or a server that was told to write nothing
_CLASSES: Final = {"08", "40", "53", "55", "57", "58"}  # of PostgreSQL's codes
_WORDS: Final = ("locked", "disk is full", "disk I/O", "readonly", "unable to open")  # of SQLite


def is_passing(error: Exception) -> bool:
    """A deadlock, a lock, a full disk, a server that stops or writes nothing."""
    if is_read_only(error):
        return True
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    if state is not None:
        return state[:2] in _CLASSES
    return any(word in str(error) for word in _WORDS)


def is_read_only(error: BaseException | None) -> bool:
    """True for a read-only database, which Django reports as an internal error."""
    return (
        isinstance(error, InternalError) and getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    )


def end_session_if_read_only(error: BaseException | None) -> None:
    """Close the connection: a session that began read-only stays so after the database is writable
    again."""
    if is_read_only(error) and not connection.in_atomic_block:
        connection.close()


def is_away(error: Exception) -> bool:
    """Whether a request is to be answered with *try again*: nothing of it was kept."""
    return isinstance(error, OperationalError) or is_read_only(error)

"""Errors of an artifact store, and their messages."""

import errno
import socket


class NotStored(Exception):
    """No artifact with this name is stored, or its content is damaged."""


class NotHere(NotStored, OSError):
    """The content is missing in this store. If a row for it exists, the store is at fault: the
    folder is not mounted, or the setting names another store."""


class StoreAway(OSError):
    """An object store that is unavailable, with the reason."""

    def __init__(self, reason: str, *, is_setting: bool = False) -> None:
        super().__init__(errno.EIO, reason)
        self.reason = reason
        self.is_setting = is_setting  # waiting won't help: a name or a permission is wrong


def fault_words(error: Exception) -> str:
    """Message about a store fault, without names of folders or buckets."""
    host = socket.gethostname()
    if isinstance(error, NotHere):
        return f"The content of the artifact {error.args[0]} is missing for {host}."
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"The artifact store cannot be used on {host}: {reason}."


def may_pass(error: OSError) -> bool:
    """Whether the store may recover by itself, because no name, permission or content is wrong."""
    is_setting = isinstance(error, StoreAway) and error.is_setting
    return not (is_setting or isinstance(error, NotHere))

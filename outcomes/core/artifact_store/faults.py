"""Errors of an artifact store, and their words."""

import errno
import socket


class NotStored(Exception):
    """No artifact of that name is stored, or its content is damaged."""


class NotHere(NotStored, OSError):
    """The content is missing in this store. If a row of it exists, the place is at fault: a folder
    that is not mounted, or a setting that names another store."""


class StoreAway(OSError):
    """An object store that cannot be used at the moment, and the reason."""

    def __init__(self, reason: str, *, is_setting: bool = False) -> None:
        super().__init__(errno.EIO, reason)
        self.reason = reason
        self.is_setting = is_setting  # waiting will not help: a name or a right is wrong


def fault_words(error: Exception) -> str:
    """The fault of the store in words, without names of folders or buckets."""
    host = socket.gethostname()
    if isinstance(error, NotHere):
        return f"The content of the artifact {error.args[0]} is missing for {host}."
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"The artifact store cannot be used on {host}: {reason}."


def may_pass(error: OSError) -> bool:
    """Whether the store may work again by itself: no name, right or content is wrong."""
    is_setting = isinstance(error, StoreAway) and error.is_setting
    return not (is_setting or isinstance(error, NotHere))

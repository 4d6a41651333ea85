"""SQLite lets one writer in, and its waiters sleep ever longer: under load some starve.

Here write transactions queue: the threads of a process at a lock, the processes at a file that
they ask for every half millisecond. SQLite's own waiting is left for what writes outside of a
transaction.
"""

import fcntl
import os
import threading
import time
from contextlib import suppress

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

PAUSE = 0.0005

_threads = threading.Lock()
_files: dict[tuple[int, str], int] = {}  # by process: a fork must not share the lock of its parent


class DatabaseWrapper(base.DatabaseWrapper):
    _writes = False

    def _start_transaction_under_autocommit(self) -> None:
        self._wait_for_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except BaseException:
            self._give_turn()
            raise

    def _set_autocommit(self, autocommit: bool) -> None:  # noqa: FBT001 - Django's signature
        super()._set_autocommit(autocommit)  # type: ignore[misc]  # not in the stubs
        if autocommit:
            self._give_turn()

    def close(self) -> None:
        super().close()
        # Inside a transaction Django only marks the connection as closed and ends it here.
        self._give_turn()

    def _wait_for_turn(self) -> None:
        patience = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        deadline = time.monotonic() + patience
        if not _threads.acquire(timeout=patience):
            raise OperationalError("database is locked: other threads of this process write")
        self._writes = True
        while not _try(self._turn()):
            if time.monotonic() > deadline:
                self._give_turn()
                raise OperationalError("database is locked: another process writes")
            time.sleep(PAUSE)

    def _give_turn(self) -> None:
        if self._writes:
            self._writes = False
            fcntl.flock(self._turn(), fcntl.LOCK_UN)
            _threads.release()

    def _turn(self) -> int:
        name = f"{self.settings_dict['NAME']}-turn"
        key = (os.getpid(), name)
        if key not in _files:
            _files[key] = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return _files[key]


def _try(file: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False

"""SQLite backend that takes its own write lock first.

SQLite allows one writer, and blocked writers back off for longer each time, so some starve under
load. Here, write transactions first take a lock in the process and a lock file next to the
database, which they retry every half millisecond. Writes outside of transactions use SQLite's own
waiting.
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
    _has_lock = False

    def _start_transaction_under_autocommit(self) -> None:
        self._acquire()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except BaseException:
            self._release()
            raise

    def _set_autocommit(self, autocommit: bool) -> None:  # noqa: FBT001 - Django's signature
        super()._set_autocommit(autocommit)  # type: ignore[misc]  # not in the stubs
        if autocommit:
            self._release()

    def close(self) -> None:
        super().close()
        # In a transaction, Django only marks the connection as closed, so release the lock here.
        self._release()

    def _acquire(self) -> None:
        patience = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        deadline = time.monotonic() + patience
        if not _threads.acquire(timeout=patience):
            raise OperationalError("database is locked: other threads of this process write")
        while not self._lock_file():
            if time.monotonic() > deadline:
                _threads.release()
                raise OperationalError("database is locked: another process writes")
            time.sleep(PAUSE)
        self._has_lock = True

    def _release(self) -> None:
        if self._has_lock:
            self._has_lock = False
            fcntl.flock(self._file(), fcntl.LOCK_UN)
            _threads.release()

    def _lock_file(self) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._file(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def _file(self) -> int:
        name = f"{self.settings_dict['NAME']}-turn"
        key = (os.getpid(), name)
        if key not in _files:
            _files[key] = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return _files[key]

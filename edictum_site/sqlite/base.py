"""SQLite lets one writer in, and its waiters sleep ever longer: under load some starve.

Here write transactions queue: the threads of a process at a lock, the processes at a file that
they ask for every half millisecond. SQLite's own waiting is left for what writes outside of a
transaction.

Who settles writes for a tenth of a second, and would write again at once: a post would wait for
several of those. So what runs at a lower priority, as the worker and what it starts does, stands
back here too: after a turn that somebody else waited for, all of these rest for as long as it took,
or until nobody has come for a moment.
"""

import fcntl
import os
import threading
import time
from contextlib import suppress
from enum import StrEnum

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

PAUSE = 0.0005
MOMENT, LONGEST_REST = 0.02, 0.2  # seconds


class File(StrEnum):
    """Beside the database. Who writes holds the first; who writes or waits, and does not stand
    back, shares the second. Until its time of change all others rest."""

    TURN = "turn"
    WANTED = "wanted"


_threads = threading.Lock()
_files: dict[tuple[int, str], int] = {}  # by process: a fork must not share the lock of its parent


class DatabaseWrapper(base.DatabaseWrapper):
    _writes = False
    _stands_back = False
    _began = 0.0

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
        self._began = came = time.monotonic()
        deadline = self._began + patience
        if not _threads.acquire(timeout=patience):
            raise OperationalError("database is locked: other threads of this process write")
        self._writes = True
        self._stands_back = os.getpriority(os.PRIO_PROCESS, 0) > 0  # of this thread
        if not self._stands_back:
            # Held against it for a millionth of a second by who looks: that once it is not told.
            _try(self._file(File.WANTED), fcntl.LOCK_SH)
        while True:
            self._began = time.monotonic()
            if self._stands_back and self._is_wanted():
                came = self._began
            rests = self._stands_back and self._began - came < MOMENT and self._is_to_rest()
            if not rests and _try(self._file(File.TURN)):
                return
            if self._began > deadline:
                self._give_turn()
                raise OperationalError("database is locked: another process writes")
            time.sleep(PAUSE)

    def _give_turn(self) -> None:
        if not self._writes:
            return
        self._writes = False
        if not self._stands_back:
            fcntl.flock(self._file(File.WANTED), fcntl.LOCK_UN)
        elif self._is_wanted():
            took = time.monotonic() - self._began
            until = time.time() + min(took, LONGEST_REST)
            os.utime(self._file(File.WANTED), (until, until))
        fcntl.flock(self._file(File.TURN), fcntl.LOCK_UN)
        _threads.release()

    def _is_wanted(self) -> bool:
        file = self._file(File.WANTED)
        if not _try(file):
            return True
        fcntl.flock(file, fcntl.LOCK_UN)
        return False

    def _is_to_rest(self) -> bool:
        # No longer than the longest, whatever became of the clock.
        return 0 < os.fstat(self._file(File.WANTED)).st_mtime - time.time() < LONGEST_REST

    def _file(self, file: File) -> int:
        name = f"{self.settings_dict['NAME']}-{file}"
        key = (os.getpid(), name)
        if key not in _files:
            _files[key] = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return _files[key]


def _try(file: int, how: int = fcntl.LOCK_EX) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(file, how | fcntl.LOCK_NB)
        return True
    return False

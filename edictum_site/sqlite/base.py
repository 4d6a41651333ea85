"""SQLite lets one writer in, and its waiters poll: under load one of them may starve for seconds.

A lock around each write transaction lets the threads of this process queue instead; between
processes SQLite's own busy handler goes on deciding.
"""

import threading

from django.db.backends.sqlite3 import base

_WRITING = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    _writes = False

    def _start_transaction_under_autocommit(self) -> None:
        _WRITING.acquire()
        self._writes = True
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
        # Inside a transaction Django only marks the connection as closed and ends it here.
        self._release()

    def _release(self) -> None:
        if self._writes:
            self._writes = False
            _WRITING.release()

"""The embedded database: copied by SQLite's own backup, put in place by a rename."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from django.db import connection

from edictum_site.backup.archive import PART_BYTES, NotABackup
from edictum_site.backup.rows import DumpFailed, Names, Snapshot, Target

SERVER: Final = 0
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


class _Snapshot:
    """A copy in a file of its own, which takes the room of the database until it is removed."""

    server = SERVER

    def __init__(self, copy: Path, database: sqlite3.Connection) -> None:
        self._copy = copy
        self._database = database

    def execute(self, query: str) -> Iterator[Any]:
        return self._database.execute(query)

    def tables(self) -> Names:
        return [name for (name,) in self._database.execute(_TABLES)]

    def parts(self) -> Iterator[bytes]:
        with self._copy.open("rb") as file:
            while part := file.read(PART_BYTES):
                yield part


@contextmanager
def snapshot(folder: Path) -> Iterator[Snapshot]:
    """All of one moment: the copy is made in a single step, and writers do not wait for it."""
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as scratch:
        copy = Path(scratch) / "database"
        with closing(sqlite3.connect(copy)) as target:
            with closing(sqlite3.connect(_path(), timeout=60)) as source:
                target.execute("PRAGMA synchronous=OFF")  # it is read once, and removed
                _copy(source, target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, without a log to its side
            yield _Snapshot(copy, target)


def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    try:
        source.backup(target)
    except sqlite3.Error as error:  # no room for the copy, say
        raise DumpFailed(f"SQLite's backup failed: {error}.") from None


class _Restoring:
    """Collects the parts in a file that takes the database's place at the end."""

    def __init__(self) -> None:
        self._draft = _path().with_name(f"{_path().name}.restoring")
        descriptor = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file = os.fdopen(descriptor, "wb")

    def write(self, part: bytes) -> None:
        self._file.write(part)

    def commit(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        with closing(sqlite3.connect(self._draft)) as database:
            (answer,) = database.execute("PRAGMA quick_check").fetchone()
        if answer != "ok":
            raise NotABackup(f"The database of the backup is damaged: {answer}.")
        connection.close()
        for ending in ("-wal", "-shm"):  # of the empty database
            Path(f"{_path()}{ending}").unlink(missing_ok=True)
        self._draft.replace(_path())

    def abort(self) -> None:
        self._file.close()
        self._draft.unlink(missing_ok=True)


def _path() -> Path:
    return Path(connection.settings_dict["NAME"])


def restoring(server: int) -> Target:
    """Into the file of the settings; a file has no server, and no version."""
    return _Restoring()

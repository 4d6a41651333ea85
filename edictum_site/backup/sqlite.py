"""SQLite backups: copied with SQLite's backup API, restored with a rename."""

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
    """A temporary copy of the database, which needs as much disk space as the database itself."""

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
    """Consistent copy of the database, made in a single step without blocking writers."""
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as scratch:
        copy = Path(scratch) / "database"
        with closing(sqlite3.connect(copy)) as target:
            with closing(sqlite3.connect(_path(), timeout=60)) as source:
                target.execute("PRAGMA synchronous=OFF")  # a temporary file needs no durability
                _copy(source, target)
            target.execute("PRAGMA journal_mode=DELETE")  # a single file, without a WAL
            yield _Snapshot(copy, target)


def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    try:
        source.backup(target)
    except sqlite3.Error as error:  # such as a full disk
        raise DumpFailed(f"SQLite's backup failed: {error}.") from None


class _Restoring:
    """Collects the parts in a file that replaces the database on commit."""

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
        for ending in ("-wal", "-shm"):  # files of the empty database
            Path(f"{_path()}{ending}").unlink(missing_ok=True)
        self._draft.replace(_path())

    def abort(self) -> None:
        self._file.close()
        self._draft.unlink(missing_ok=True)


def _path() -> Path:
    return Path(connection.settings_dict["NAME"])


def restoring(server: int) -> Target:
    """Restore target: the configured database file. SQLite has no server version to compare."""
    return _Restoring()

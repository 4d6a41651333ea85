"""PostgreSQL backups: pg_dump and pg_restore, on the snapshot of one transaction."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from django.db import connection, connections
from psycopg.conninfo import make_conninfo

from edictum_site.backup.archive import PART_BYTES, NotABackup
from edictum_site.backup.programs import NoProgram, program
from edictum_site.backup.rows import DumpFailed, Names, Snapshot, Target

# Parameters of Django and psycopg, unknown to libpq.
_NOT_OF_LIBPQ: Final = {"context", "cursor_factory", "prepare_threshold", "autocommit", "password"}


class _Snapshot:
    """A read transaction whose snapshot pg_dump shares."""

    def __init__(self, database: Any, dump: str) -> None:
        self._database = database
        self._dump = dump
        self.server = server_version()

    def execute(self, query: str) -> Iterator[Any]:
        # A named cursor, so that the server sends rows as they are read.
        with self._database.connection.cursor(name="backup") as cursor:
            cursor.execute(query)
            yield from cursor

    def tables(self) -> Names:
        return list(self._database.introspection.table_names())

    def parts(self) -> Iterator[bytes]:
        (identity,) = next(self._rows("SELECT pg_export_snapshot()"))
        command = [self._dump, "--format=custom", "--compress=0", "--no-owner", "--no-privileges"]
        with tempfile.TemporaryFile() as errors:
            dump = subprocess.Popen(
                [*command, f"--snapshot={identity}", f"--dbname={_address()}"],
                env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
            output = _stream(dump.stdout)
            try:
                while part := output.read(PART_BYTES):
                    yield part
            except BaseException:  # such as a full disk: pg_dump would block on its pipe
                dump.kill()
                raise
            finally:
                output.close()
                code = dump.wait()
            if code:
                raise DumpFailed(f"pg_dump failed: {_last_line(errors)}")

    def _rows(self, query: str) -> Iterator[Any]:
        with self._database.cursor() as cursor:
            cursor.execute(query)
            yield from cursor.fetchall()


@contextmanager
def snapshot(folder: Path) -> Iterator[Snapshot]:
    _refuse_pooler()
    dump = program("pg_dump", server_version())
    database = connections.create_connection("default")
    try:
        with database.cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield _Snapshot(database, dump)
    finally:
        database.close()


class _Restoring:
    """Feeds the parts to pg_restore, which commits its single transaction after the last one."""

    def __init__(self, restore: str) -> None:
        command = [restore, "--single-transaction", "--exit-on-error", "--no-owner"]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the program
        self._restore = subprocess.Popen(
            [*command, "--no-privileges", f"--dbname={_address()}"], env=_environment(),
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors,
        )  # fmt: skip
        # The last part is held back until `commit`: without it nothing is committed.
        self._held = b""

    def write(self, part: bytes) -> None:
        self._feed(self._held)
        self._held = part

    def commit(self) -> None:
        self._feed(self._held)
        _stream(self._restore.stdin).close()
        if self._restore.wait():
            raise NotABackup(f"pg_restore failed: {_last_line(self._errors)}")
        self._errors.close()

    def abort(self) -> None:
        self._restore.kill()
        self._restore.wait()
        self._errors.close()

    def _feed(self, part: bytes) -> None:
        try:
            _stream(self._restore.stdin).write(part)
            _stream(self._restore.stdin).flush()
        except BrokenPipeError:
            self._restore.wait()
            raise NotABackup(f"pg_restore failed: {_last_line(self._errors)}") from None


def server_version() -> int:
    """Major version of the server."""
    connection.ensure_connection()
    return int(connection.connection.info.server_version) // 10_000


def _refuse_pooler() -> None:
    """Refuse a pooler: the programs change settings of their session, which other clients would
    then get."""
    if connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        raise NoProgram(
            "DATABASE_URL names a pooler (pool_mode=transaction), and a backup needs a session of"
            " its own. Run this command with the address of the server itself."
        )


def _address() -> str:
    """Connection string for the programs, without the password, as other users can read process
    arguments."""
    values = connection.get_connection_params()
    return make_conninfo(**{name: v for name, v in values.items() if name not in _NOT_OF_LIBPQ})


def _environment() -> dict[str, str]:
    password = connection.settings_dict["PASSWORD"]
    return os.environ | ({"PGPASSWORD": password} if password else {})


def _stream(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never, as the process was started with a pipe
        raise ValueError
    return pipe


def _last_line(errors: Any) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it exited without an error message."


def restoring(server: int) -> Target:
    """Restore target: the configured database, for a backup from a server of this version."""
    _refuse_pooler()
    if server_version() < server:
        raise NotABackup(
            f"The backup is of PostgreSQL {server}, this server is {server_version()}."
            " Restore it into a server that is as new, or newer."
        )
    return _Restoring(program("pg_restore", server_version()))

"""The SQLite write lock: one writer across threads and processes, with a timeout."""

import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler, OperationalError

from edictum_site.database import database
from edictum_site.sqlite.base import DatabaseWrapper


@pytest.fixture(autouse=True)
def _database_may_be_used(django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def other_process(tmp_path: Path) -> Iterator[int]:
    """Lock file, locked as by another process that is writing."""
    file = os.open(tmp_path / "edictum-site.sqlite3-turn", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    yield file
    os.close(file)


def connect(data: Path, *, timeout: float) -> DatabaseWrapper:
    settings = database("", data)
    settings["OPTIONS"] |= {"timeout": timeout}
    return ConnectionHandler({"default": settings})["default"]  # type: ignore[return-value]


def begin(connection: DatabaseWrapper) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def commit(connection: DatabaseWrapper) -> None:
    connection.commit()
    connection.set_autocommit(True)


def test_a_transaction_waits_for_another_process_to_release_the_lock(tmp_path, other_process):
    done = threading.Event()

    def write() -> None:
        connection = connect(tmp_path, timeout=60)
        begin(connection)
        commit(connection)
        connection.close()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert not done.wait(0.05)
    fcntl.flock(other_process, fcntl.LOCK_UN)
    writer.join(60)
    assert done.is_set()


def test_a_transaction_that_times_out_does_not_block_others(tmp_path, other_process):
    connection = connect(tmp_path, timeout=0.02)
    with pytest.raises(OperationalError, match="another process writes"):
        begin(connection)
    fcntl.flock(other_process, fcntl.LOCK_UN)
    other = connect(tmp_path, timeout=0.02)
    begin(other)
    commit(other)
    for each in (connection, other):
        each.close()


def test_closing_a_connection_in_a_transaction_releases_the_lock(tmp_path):
    first, second = (connect(tmp_path, timeout=0.02) for _ in range(2))
    begin(first)
    with pytest.raises(OperationalError, match="other threads"):
        begin(second)
    first.close()
    begin(second)
    commit(second)
    second.close()

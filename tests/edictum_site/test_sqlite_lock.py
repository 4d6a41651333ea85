"""Writers of SQLite: one at a time, of all threads and processes, and none waits for ever."""

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
    """The lock file as another process has it open, which writes."""
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


def test_a_transaction_begins_when_another_process_has_written(tmp_path, other_process):
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


def test_a_transaction_that_waits_too_long_is_an_error_and_holds_up_no_other(
    tmp_path, other_process
):
    connection = connect(tmp_path, timeout=0.02)
    with pytest.raises(OperationalError, match="another process writes"):
        begin(connection)
    fcntl.flock(other_process, fcntl.LOCK_UN)
    other = connect(tmp_path, timeout=0.02)
    begin(other)
    commit(other)
    for each in (connection, other):
        each.close()


def test_a_connection_closed_in_a_transaction_gives_the_lock_back(tmp_path):
    first, second = (connect(tmp_path, timeout=0.02) for _ in range(2))
    begin(first)
    with pytest.raises(OperationalError, match="other threads"):
        begin(second)
    first.close()
    begin(second)
    commit(second)
    second.close()

"""Who writes to SQLite: what stands back lets others in between, and goes on once nobody comes."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler

from edictum_site.database import database
from edictum_site.sqlite.base import PAUSE, File

TURNS, LENGTH = 20, 0.1


class Settler(threading.Thread):
    """Writes turn after turn, without a pause between two; priority is of a thread, on Linux."""

    def __init__(self, data: Path, *, lower: int) -> None:
        super().__init__()
        self.connections = ConnectionHandler({"default": database("", data)})
        self.lower, self.turns = lower, 0

    def run(self) -> None:
        os.setpriority(os.PRIO_PROCESS, 0, self.lower)
        connection = self.connections["default"]
        for _ in range(TURNS):
            connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
            time.sleep(LENGTH)
            connection.commit()
            connection.set_autocommit(True)
            self.turns += 1
        connection.close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[dict[File, int]]:
    """As another process has them open that waits for its turn."""
    opened = {
        file: os.open(tmp_path / f"edictum-site.sqlite3-{file}", os.O_RDWR | os.O_CREAT)
        for file in File
    }
    fcntl.flock(opened[File.WANTED], fcntl.LOCK_SH)
    yield opened
    for each in opened.values():
        os.close(each)


def test_what_stands_back_lets_another_write_in_between(tmp_path, files, django_db_blocker):
    with django_db_blocker.unblock():
        settler = Settler(tmp_path, lower=5)
        settler.start()
        while not settler.turns and settler.is_alive():
            time.sleep(PAUSE)
        # Much more seldom than those ask who stand back: without a rest they would come first.
        while not has_turn(files):
            time.sleep(20 * PAUSE)
        assert settler.turns <= 3  # where other programs have the cores
        fcntl.flock(files[File.TURN], fcntl.LOCK_UN)
        fcntl.flock(files[File.WANTED], fcntl.LOCK_UN)
        settler.join()
        assert settler.turns == TURNS


def has_turn(files: dict[File, int]) -> bool:
    try:
        fcntl.flock(files[File.TURN], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def test_what_does_not_stand_back_is_not_made_to(tmp_path, files, django_db_blocker):
    rest = time.time() + 60
    os.utime(files[File.WANTED], (rest, rest))
    with django_db_blocker.unblock():
        settler = Settler(tmp_path, lower=0)
        settler.start()
        settler.join()
    assert settler.turns == TURNS
    assert os.fstat(files[File.WANTED]).st_mtime == pytest.approx(rest)  # nobody was told to rest

"""A long-running job pauses for other writers if the database allows only one."""

import threading
import time

import pytest
from django.db import connection

from outcomes.database import IS_SERVER
from outcomes.jobs.pace import Pace
from tests import builders

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rests(monkeypatch) -> list[float]:
    rested: list[float] = []
    monkeypatch.setattr(time, "sleep", rested.append)
    return rested


def write_elsewhere() -> None:
    def write() -> None:
        builders.a_project()
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()


def test_steps_run_without_a_pause_while_there_are_no_other_writers(rests):
    pace = Pace()
    for _ in range(3):
        with pace.step():
            builders.a_project()
    assert rests == []


def test_a_step_is_followed_by_a_pause_while_others_write(rests):
    pace = Pace()
    write_elsewhere()
    for _ in range(2):
        with pace.step():
            builders.a_project()
    assert len(rests) == (0 if IS_SERVER else 2)

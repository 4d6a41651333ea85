"""Two processes work on the inbox at once without conflicts and in order."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from django.db import connection

from outcomes.jobs import processes as job_processes
from outcomes.models import Batch, Call
from outcomes.settling import claims
from outcomes.settling.claims import is_more_than_one_can_do
from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
HOLDING = """
import sys
import django
django.setup()
from outcomes.settling.claims import at_work
with at_work(map(int, sys.argv[1:])):
    print("in hand", flush=True)
    sys.stdin.read()
"""
PROGRAM = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from django.core.management import call_command
from outcomes.management.commands import second_settler
second_settler.IDLE = 0.1
call_command("second_settler")
"""
NEVER_IDLE = """
import sys
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from django.core.management import call_command
from outcomes.management.commands import second_settler
second_settler.IDLE = 600
call_command("second_settler", worker=int(sys.argv[2]))
"""
WORKER = """
import os
import subprocess
import sys
program, name = sys.argv[1:]
beside = subprocess.Popen([sys.executable, "-c", program, name, str(os.getpid())])
print(beside.pid, flush=True)
beside.wait()
"""


@pytest.fixture(autouse=True)
def _notes_of_its_own(settings, tmp_path, monkeypatch):
    settings.DATA = tmp_path
    monkeypatch.setenv("EDICTUM_SITE_DATA", str(tmp_path))
    monkeypatch.setattr(claims, "_ask_again", float("-inf"))


@pytest.fixture
def agent() -> Agent:
    return Agent(builders.bearing(builders.a_key(builders.a_project(), "agent")[0]))


def program(text: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", text, *map(str, arguments)]


def in_an_environment() -> dict[str, str]:
    return os.environ | {"DJANGO_SETTINGS_MODULE": "edictum_site.settings"}


@contextmanager
def in_hand_of_another(*batches: int) -> Iterator[None]:
    process = subprocess.Popen(
        program(HOLDING, *batches),
        cwd=ROOT,
        env=in_an_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "in hand\n"
    try:
        yield
    finally:
        process.communicate(timeout=60)


def post(agent: Agent, name: str) -> int:
    return int(agent.door(json.dumps({"outcomes": [an_outcome(name)]}).encode())["batch"])


def settled() -> set[str]:
    return set(Call.objects.values_list("call_id", flat=True))


def test_batches_of_a_process_are_claimed_until_it_ends():
    with in_hand_of_another(7, 8):
        assert list(claims.in_hand()) == [[7, 8]]
    assert list(claims.in_hand()) == []


def test_a_process_with_newer_batches_waits_for_older_ones():
    with ThreadPoolExecutor(1) as threads:
        with in_hand_of_another(7, 8):
            claims.wait_for_older(7)
            waiting = threads.submit(claims.wait_for_older, 9)
            with pytest.raises(TimeoutError):
                waiting.result(0.05)
        waiting.result(10)


def test_a_process_does_not_wait_for_its_own_batches():
    with claims.at_work([1]):
        assert list(claims.in_hand()) == []
        claims.wait_for_older(2)


def test_a_second_process_starts_for_a_large_backlog_on_postgresql(agent, monkeypatch):
    monkeypatch.setattr(claims, "MUCH", 2)
    post(agent, "a")
    assert not is_more_than_one_can_do()
    post(agent, "b")
    monkeypatch.setattr(claims, "_ask_again", float("-inf"))
    assert is_more_than_one_can_do() is (connection.vendor == "postgresql")
    assert not is_more_than_one_can_do()  # checked only now and then


def test_the_second_process_empties_the_inbox_and_exits(agent):
    for name in "abc":
        post(agent, name)
    name = str(connection.settings_dict["NAME"])
    subprocess.run(
        program(PROGRAM, name), cwd=ROOT, env=in_an_environment(), check=True, timeout=180
    )
    assert settled() == {"a", "b", "c"}
    assert not Batch.objects.exists()


def test_the_second_process_is_started_with_the_pid_of_its_worker(settings):
    program = str(settings.BASE / "manage.py")
    listed = [sys.executable, program, "second_settler", "--worker", str(os.getpid())]
    assert job_processes.child_command("second_settler") == listed


def test_the_second_process_exits_when_its_worker_is_killed():
    """It must exit by itself, as its worker cannot stop it any more."""
    worker = subprocess.Popen(
        program(WORKER, NEVER_IDLE, connection.settings_dict["NAME"]),
        cwd=ROOT,
        env=in_an_environment(),
        stdout=subprocess.PIPE,
    )
    assert worker.stdout
    other = os.pidfd_open(int(worker.stdout.readline()))
    worker.kill()
    worker.wait()
    worker.stdout.close()
    try:
        # The pidfd becomes readable when the process ends.
        ended, _, _ = select.select([other], [], [], 60)
        assert ended, "it goes on"
    finally:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(other, signal.SIGKILL)
        os.close(other)

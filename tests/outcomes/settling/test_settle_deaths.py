"""A batch that kills the worker is identified among its neighbors and set aside."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from governance.core.actor import person
from governance.core.roles import Role
from outcomes.ingest.commands.batches import retry_batch
from outcomes.models import Batch, Call
from outcomes.models.inbox import DEATHS, TRIES
from outcomes.settling.claims import at_work, left_behind
from outcomes.settling.settle import settle_inbox
from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
# A worker in a separate process. Reading a deadly item kills it as the OOM killer would: at once
# and without an exception. There are no pauses between tries.
WORKER = """
import os, signal, sys
from datetime import timedelta
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from outcomes.record import codec
from outcomes.settling import claims
from outcomes.settling.settle import settle_inbox
claims.PAUSE = timedelta()
read = codec.read_item

def deadly(raw, *rest):
    if b"deadly" in raw:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(raw, *rest)

codec.read_item = deadly
while settle_inbox():
    pass
"""


# Another worker, stopped from outside.
ENDED = """
import os, signal, sys
import django
django.setup()
from outcomes.settling.claims import at_work
with at_work(map(int, sys.argv[1:])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(program: str, *arguments: str) -> int:
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "edictum_site.settings"}
    return subprocess.run([sys.executable, "-c", program, *arguments], cwd=ROOT, env=env).returncode


def run_worker() -> int:
    return run(WORKER, str(connection.settings_dict["NAME"]))


def die_over(*batches: int) -> None:
    assert run(ENDED, *map(str, batches)) == -signal.SIGKILL


def post(agent: Agent, *names: str) -> int:
    body = json.dumps({"outcomes": [an_outcome(name) for name in names]}).encode()
    return int(agent.door(body)["batch"])


def let_time_pass() -> None:
    due = timezone.now() - timedelta(seconds=1)
    Batch.objects.filter(next_try_at__isnull=False).update(next_try_at=due)


@pytest.fixture(autouse=True)
def _notes_of_its_own(settings, tmp_path, monkeypatch):
    settings.DATA = tmp_path
    monkeypatch.setenv("EDICTUM_SITE_DATA", str(tmp_path))


@pytest.fixture
def agent() -> Agent:
    return Agent(builders.bearing(builders.a_key(builders.a_project(), "agent", "read")[0]))


@pytest.mark.slow
def test_a_batch_that_kills_its_worker_is_set_aside_and_its_neighbors_are_processed(agent):
    post(agent, "before")
    deadly = post(agent, "deadly")
    post(agent, "after")
    assert run_worker() == -signal.SIGKILL
    assert not Call.objects.exists()
    for died in range(DEATHS):
        post(agent, f"fresh {died}")
        assert run_worker() == -signal.SIGKILL
        assert Call.objects.filter(call_id=f"fresh {died}").exists()
    assert run_worker() == 0
    batch = Batch.objects.get()
    assert (batch.pk, batch.tries) == (deadly, DEATHS)
    assert batch.set_aside_at is not None
    assert batch.error.startswith("The worker died while processing this batch")
    assert Call.objects.count() == 2 + DEATHS
    retry_batch(batch.project_id, deadly, by=person(1, "o@example.test", Role.OPERATOR))
    assert settle_inbox() == 1  # with a worker that survives it
    assert not Batch.objects.exists()


@pytest.mark.slow
def test_a_worker_killed_with_several_claimed_batches_costs_them_no_try(agent):
    batches = [post(agent, f"c-{n}") for n in range(3)]
    die_over(*batches)
    assert list(left_behind()) == [batches]
    assert list(left_behind()) == []
    die_over(*batches)
    while settle_inbox():
        pass
    assert Call.objects.count() == 3


@pytest.mark.slow
def test_a_batch_is_not_set_aside_because_its_worker_was_stopped_repeatedly(agent):
    batch = post(agent, "c")
    for _ in range(TRIES):
        die_over(batch)
        assert settle_inbox() == 0
        let_time_pass()
    assert settle_inbox() == 1
    assert Call.objects.get().call_id == "c"


def test_batches_claimed_by_a_live_worker_are_not_recovered():
    with at_work([1, 2]):
        assert list(left_behind()) == []
    assert list(left_behind()) == []


def test_a_worker_that_raises_leaves_no_claim_behind():
    with pytest.raises(ZeroDivisionError), at_work([1]):
        1 / 0  # noqa: B018 - it is to fail
    assert list(left_behind()) == []


def test_a_truncated_claim_note_is_ignored(settings):
    die_over(1, 2)
    (note,) = (Path(settings.DATA) / "claims").iterdir()
    note.write_bytes(b"[1, 2")
    assert list(left_behind()) == [[]]
    assert list(left_behind()) == []


def test_processing_continues_if_no_claim_note_can_be_written(agent, settings, tmp_path):
    settings.DATA = tmp_path / "a file"
    settings.DATA.write_bytes(b"")
    post(agent, "c")
    assert settle_inbox() == 1

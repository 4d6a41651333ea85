"""Calls are reclassified exactly once, even if processes are killed and calls change meanwhile."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.db import connection

from outcomes.models import Batch, Call, PastVerdict, Rejudging
from outcomes.reclassification.commands.jobs import start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.stored import names
from tests import builders
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent, settle
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, ran, unified
from tests.outcomes.rejudging import flips
from tests.recount import differences

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
CALLS = 300


def killed(seed: int, lives: int) -> int:
    program = [sys.executable, "-m", "tests.kill.rejudging"]
    ran = subprocess.run(
        [*program, str(connection.settings_dict["NAME"]), str(seed), str(lives)],
        cwd=ROOT, stdout=subprocess.PIPE, check=True,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "edictum_site.settings"},
    )  # fmt: skip
    return int(json.loads(ran.stdout)["deaths"])


RESULTS = [OK, NOT_OK, "Error: x", {"ok": False, "late": True}, {"ok": True, "late": True}]


def result(number: int) -> object:
    return RESULTS[number % len(RESULTS)]


def items(agent: Agent, numbers: Iterable[int], shift: int = 0) -> None:
    """Post calls; with `shift`, again with other results and later timestamps."""
    listed = [
        ran(
            result(each + shift), each + 7_200 * shift,
            call_id=f"c-{each}", session_id=f"s-{each % 12}" if each % 7 else None,
        )
        for each in numbers
    ]  # fmt: skip
    for start in range(0, len(listed), 30):
        agent.door(json.dumps({"outcomes": listed[start : start + 30]}).encode())


@pytest.mark.slow
def test_calls_are_reclassified_exactly_once_if_processes_are_killed(
    settings, tmp_path, monkeypatch
):
    monkeypatch.setenv("EDICTUM_SITE_DATA", str(tmp_path))
    settings.DATA = tmp_path
    names.forget()
    project = builders.a_project()
    agent = Agent(builders.bearing(builders.a_key(project, "ingest", "read")[0]))
    builders.deployed(builders.a_version(project, max_tool_calls=20))
    items(agent, range(CALLS))
    settle()
    unified(project, "*")
    again = set(range(0, CALLS, 4))
    items(agent, sorted(again), shift=1)
    for _ in range(2):
        start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
    assert killed(seed=7, lives=5) > 7
    assert not Batch.objects.exists()
    assert differences() == []
    for job in Rejudging.objects.all():
        assert (job.status, job.passed, sum(flips(job).values())) == ("done", CALLS, CALLS)
    for call in Call.objects.all():
        number = int(call.call_id.removeprefix("c-"))
        right = result(number + (number in again))
        failed = isinstance(right, dict) and not right["ok"]
        assert (call.check_name, call.verdict) == ("unified", "failure" if failed else "success")
    assert max(Counter(PastVerdict.objects.values_list("call", flat=True)).values()) == 1

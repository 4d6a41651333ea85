"""The workers of each queue are killed while jobs run: each job resumes, nothing counts twice."""

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database
from tests.governance.contracts.documents import document, pre
from tests.journeys.console import KEY, Console
from tests.kill.drill import post_and_settle
from tests.kill.load import load_of
from tests.kill.victims import Victim
from tests.outcomes.rejudging import CHECK
from tests.stored import stored_by

ITEMS = 6_000
TO_END = 180.0  # seconds: a job whose process died waits for its lease to end
RULES = document(pre("{args.number: {equals: 7}}", rule_id="no-seven"))
BACKTEST, CHECK_BACKTEST = "contracts/backtests", "success-checks/backtests"
RECLASSIFICATION = "reclassifications"


@pytest.fixture(scope="module")
def store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="module")
def victim(store, tmp_path_factory) -> Iterator[Victim]:
    folder = tmp_path_factory.mktemp("jobs") / "data"
    victim = Victim(folder, {**store, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY})
    try:
        yield victim
    finally:
        victim.stop()


@pytest.fixture
def console(victim: Victim) -> Console:
    return Console(victim.product, "")


def test_jobs_whose_workers_are_killed_resume_and_count_nothing_twice(store, victim, console):
    load = load_of(ITEMS)
    post_and_settle(victim, load, KEY)
    _bind(console)
    interactive = {
        BACKTEST: _started(console, BACKTEST, yaml=RULES),
        CHECK_BACKTEST: _started(console, CHECK_BACKTEST, yaml=CHECK, scope="all"),
    }
    _wait_for_all(console, interactive, "running")
    assert _kill_the_processes_of(victim.product.children["jobs"]) == len(interactive)
    bulk = {RECLASSIFICATION: _started(console, RECLASSIFICATION)}
    _wait_for_all(console, bulk, "running")
    victim.kill("jobs")
    started = interactive | bulk
    assert {_status(console, *each) for each in started.items()} == {"running"}  # none ended
    victim.kill("worker")
    _wait_for_all(console, started, "done")
    counted = {path: _ask(console, "GET", f"{path}/{n}") for path, n in started.items()}
    ran = sum(kind != "denied" for kind in load.kinds.values())
    assert {path: job["calls"] for path, job in counted.items()} == dict.fromkeys(counted, ran)
    stored = stored_by(victim.data, store)
    assert (stored["calls"], stored["events"]) == (len(load.kinds), load.events)
    assert stored["differences"] == []


def test_a_job_requested_while_redis_is_down_runs_when_redis_is_back(victim, console):
    redis = victim.product.children["redis"]
    os.kill(redis, signal.SIGSTOP)
    jobs = {BACKTEST: _started(console, BACKTEST, yaml=RULES)}
    assert _status(console, BACKTEST, jobs[BACKTEST]) == "queued"
    os.kill(redis, signal.SIGKILL)  # with all messages that it held
    _wait_for_all(console, jobs, "done")


def _bind(console: Console) -> None:
    _ask(console, "PUT", "success-checks/unified", yaml=CHECK)
    line = {"environment": "*", "agent": "*", "tool": "*", "check": "unified"}
    _ask(console, "PUT", "success-check-bindings", bindings=[line])


def _started(console: Console, path: str, **body: Any) -> int:
    return int(_ask(console, "POST", path, **body)["id"])


def _status(console: Console, path: str, number: int) -> str:
    return str(_ask(console, "GET", f"{path}/{number}")["status"])


def _ask(console: Console, method: str, path: str, **body: Any) -> Any:
    sent = None if method == "GET" else json.dumps(body).encode()
    status, answer = console.ask(method, path, sent)
    assert status in (200, 201, 202), answer
    return answer


def _kill_the_processes_of(parent: int) -> int:
    """Those that the worker has forked for its jobs; how many there were."""
    killed = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (folder / "stat").read_text()
            if int(stat.rpartition(")")[2].split()[1]) == parent:
                os.kill(int(folder.name), signal.SIGKILL)
                killed += 1
    return killed


def _wait_for_all(console: Console, jobs: dict[str, int], status: str) -> None:
    deadline = time.monotonic() + TO_END
    for path, number in jobs.items():
        while (result := _status(console, path, number)) != status:
            assert time.monotonic() < deadline, f"{path} is {result}"
            time.sleep(0.02)

"""Jobs resume after the workers of each queue are killed, and count nothing twice."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.databases import own_database
from tests.journeys.console import KEY, Console
from tests.kill.drill import post_and_settle
from tests.kill.jobs import (
    BACKTEST,
    RECLASSIFICATION,
    RULES,
    Jobs,
    ask,
    bind_check,
    calls_of,
    kill_processes_of,
    start_interactive,
    started,
    status,
    wait_for_all,
)
from tests.kill.load import load_of
from tests.kill.victims import Victim
from tests.stored import stored_by

ITEMS = 6_000


@pytest.fixture(scope="module")
def store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs") / "data"


@pytest.fixture
def victim(store, folder) -> Iterator[Victim]:
    victim = Victim(folder, {**store, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY})
    try:
        yield victim
    finally:
        victim.stop()


@pytest.fixture
def console(victim: Victim) -> Console:
    return Console(victim.product, "")


def test_jobs_resume_after_their_workers_are_killed_without_double_counting(store, victim, console):
    load = load_of(ITEMS)
    post_and_settle(victim, load, KEY)
    bind_check(console)
    interactive = _met_running(
        console,
        lambda: start_interactive(console),
        lambda: kill_processes_of(victim.product.children["jobs"]),
    )
    bulk = _met_running(
        console,
        lambda: {RECLASSIFICATION: started(console, RECLASSIFICATION)},
        lambda: victim.kill("jobs"),
    )
    jobs = {**interactive, **bulk}
    victim.kill("worker")
    wait_for_all(console, jobs, "done")
    ended = {path: ask(console, "GET", f"{path}/{n}") for path, n in jobs.items()}
    assert {job["calls"] for job in ended.values()} == {calls_of(load)}
    victim.stop()  # its workers would go on filling the search index
    stored = stored_by(victim.data, store)
    assert (stored["calls"], stored["events"]) == (len(load.kinds), load.events)
    assert stored["differences"] == []


def test_a_job_requested_while_redis_is_down_runs_once_redis_recovers(victim, console):
    redis = victim.product.children["redis"]
    os.kill(redis, signal.SIGSTOP)
    jobs = {BACKTEST: started(console, BACKTEST, yaml=RULES)}
    assert status(console, BACKTEST, jobs[BACKTEST]) == "queued"
    os.kill(redis, signal.SIGKILL)  # loses all queued messages
    wait_for_all(console, jobs, "done")


def _met_running(console: Console, start: Callable[[], Jobs], kill: Callable[[], object]) -> Jobs:
    """Jobs that a kill met while they ran. Those that ended before it did not meet it: others are
    started. The leases of killed processes last for half a minute, so they are still running."""
    for _ in range(20):
        jobs = start()
        wait_for_all(console, jobs, "running", "done")
        kill()
        if {status(console, *each) for each in jobs.items()} == {"running"}:
            return jobs
        wait_for_all(console, jobs, "done")
    raise AssertionError("all jobs ended before their processes were killed")

"""The workers of each queue are killed while jobs run: each job resumes, nothing counts twice."""

import os
import signal
from collections.abc import Iterator, Mapping

import pytest

from tests.databases import own_database
from tests.journeys.console import KEY, Console
from tests.kill.drill import post_and_settle
from tests.kill.jobs import (
    BACKTEST,
    RECLASSIFICATION,
    RULES,
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
    bind_check(console)
    interactive = start_interactive(console)
    wait_for_all(console, interactive, "running")
    assert kill_processes_of(victim.product.children["jobs"]) == len(interactive)
    _none_has_ended(console, interactive)
    bulk = {RECLASSIFICATION: started(console, RECLASSIFICATION)}
    wait_for_all(console, bulk, "running")
    victim.kill("jobs")
    _none_has_ended(console, bulk)
    jobs = {**interactive, **bulk}
    victim.kill("worker")
    wait_for_all(console, jobs, "done")
    ended = {path: ask(console, "GET", f"{path}/{n}") for path, n in jobs.items()}
    assert {job["calls"] for job in ended.values()} == {calls_of(load)}
    stored = stored_by(victim.data, store)
    assert (stored["calls"], stored["events"]) == (len(load.kinds), load.events)
    assert stored["differences"] == []


def test_a_job_requested_while_redis_is_down_runs_when_redis_is_back(victim, console):
    redis = victim.product.children["redis"]
    os.kill(redis, signal.SIGSTOP)
    jobs = {BACKTEST: started(console, BACKTEST, yaml=RULES)}
    assert status(console, BACKTEST, jobs[BACKTEST]) == "queued"
    os.kill(redis, signal.SIGKILL)  # with all messages that it held
    wait_for_all(console, jobs, "done")


def _none_has_ended(console: Console, jobs: Mapping[str, int]) -> None:
    """Their processes have just died; the leases last for half a minute more."""
    assert {status(console, *each) for each in jobs.items()} == {"running"}

"""Drill with jobs of every kind while the workers of each queue are killed repeatedly."""

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.console import KEY, Console
from tests.kill.drill import post_and_settle
from tests.kill.load import BATCH, Load, load_of
from tests.kill.posting import Broken
from tests.kill.victims import Victim
from tests.stored import stored_by

TO_END: Final = 240.0  # seconds, because a job whose process died waits for its lease to expire
LATEST: Final = 0.5  # maximum seconds from seeing a job running to a kill
RULES: Final = document(pre("{args.number: {equals: 7}}", rule_id="no-seven"))
CHECK: Final = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: success
rules:
  - {id: not-ok, when: {result.ok: {equals: false}}, verdict: failure}
"""
BACKTEST, CHECK_BACKTEST = "contracts/backtests", "success-checks/backtests"
RECLASSIFICATION = "reclassifications"
DOOMED, OF_DOOMED = "doomed", 900  # a session to be removed, and its number of calls
# The settling worker, the processes of all running jobs, and the worker that forks them.
SETTLE, PROCESSES, JOBS = "worker", "processes", "jobs"
Jobs = Mapping[str, int]  # job ids by API path


@dataclass(frozen=True, slots=True)
class Report:
    kills: dict[str, int]
    ended: dict[str, str]  # status and reason, by path
    seconds: float
    stored: dict[str, Any]
    problems: list[str]


def drill_jobs(
    data: Path, variables: Mapping[str, str], *, items: int, kills: int, seed: int
) -> Report:
    """Run jobs and kill each kind of process `kills` times, or fewer if all jobs end earlier."""
    began, load = time.monotonic(), load_of(items)
    victim = Victim(data, {**variables, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY})
    try:
        post_and_settle(victim, load, KEY)
        console = Console(victim.product, "")
        jobs = _start_all(console)
        order = [SETTLE, PROCESSES, JOBS] * kills
        chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
        chance.shuffle(order)
        killed = _kill_while_they_run(victim, console, jobs, order, chance)
        wait_for_all(console, jobs, "done", "failed")
        _wait_for_removal(console)
        results = {path: ask(console, "GET", f"{path}/{number}") for path, number in jobs.items()}
    finally:
        victim.stop()
    stored = stored_by(data, variables)
    ended = {path: f"{job['status']} {job['error'] or ''}".strip() for path, job in results.items()}
    problems = [*_wrong_jobs(results, load), *_wrong_in_store(stored, load)]
    return Report(killed, ended, time.monotonic() - began, stored, problems)


def bind_check(console: Console) -> None:
    ask(console, "PUT", "success-checks/unified", yaml=CHECK)
    line = {"environment": "*", "agent": "*", "tool": "*", "check": "unified"}
    ask(console, "PUT", "success-check-bindings", bindings=[line])


def start_interactive(console: Console) -> Jobs:
    return {
        BACKTEST: started(console, BACKTEST, yaml=RULES),
        CHECK_BACKTEST: started(console, CHECK_BACKTEST, yaml=CHECK, scope="all"),
    }


def started(console: Console, path: str, **body: Any) -> int:
    return int(ask(console, "POST", path, **body)["id"])


def status(console: Console, path: str, number: int) -> str:
    return str(ask(console, "GET", f"{path}/{number}")["status"])


def ask(console: Console, method: str, path: str, **body: Any) -> Any:
    sent = json.dumps(body).encode() if body or method == "POST" else None
    code, answer = console.ask(method, path, sent)
    if code not in (200, 201, 202):
        raise Broken(f"{method} {path}: {code}: {answer}")
    return answer


def kill_processes_of(parent: int) -> int:
    """Kill the job processes that a worker has forked, and return their number."""
    killed = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (folder / "stat").read_text()
            if int(stat.rpartition(")")[2].split()[1]) == parent:
                os.kill(int(folder.name), signal.SIGKILL)
                killed += 1
    return killed


def wait_for_all(console: Console, jobs: Jobs, *statuses: str) -> None:
    deadline = time.monotonic() + TO_END
    for path, number in jobs.items():
        while (now := status(console, path, number)) not in statuses:
            if time.monotonic() > deadline:
                raise Broken(f"{path} is {now}")
            time.sleep(0.02)


def calls_of(load: Load) -> int:
    """Number of calls that a job of the drill processes: those that ran."""
    return sum(kind != "denied" for kind in load.kinds.values())


def _start_all(console: Console) -> Jobs:
    bind_check(console)
    for first in range(0, OF_DOOMED, BATCH):
        console.post(*(_doomed(number) for number in range(first, first + BATCH)))
    console.settled("outcomes?limit=1")
    jobs = {**start_interactive(console), RECLASSIFICATION: started(console, RECLASSIFICATION)}
    ask(console, "DELETE", f"agent-sessions/{DOOMED}")
    return jobs


def _doomed(number: int) -> dict[str, Any]:
    """Denied call, because jobs may or may not process one that ran, as its session is removed."""
    return an_outcome(f"{DOOMED}-{number}", session_id=DOOMED, type="denied", reason="blocked")


def _kill_while_they_run(
    victim: Victim, console: Console, jobs: Jobs, order: Sequence[str], chance: random.Random
) -> dict[str, int]:
    killed = Counter[str]()
    for name in order:
        if not _is_any_running(console, jobs):
            break
        time.sleep(chance.uniform(0, LATEST))
        if name == PROCESSES:
            killed[name] += kill_processes_of(victim.product.children[JOBS])
        else:
            victim.kill(name)
            killed[name] += 1
    return dict(killed)


def _is_any_running(console: Console, jobs: Jobs) -> bool:
    """Wait until a job runs; False if all have ended."""
    deadline = time.monotonic() + TO_END
    while time.monotonic() < deadline:
        statuses = {status(console, path, number) for path, number in jobs.items()}
        if "running" in statuses:
            return True
        if "queued" not in statuses:
            return False
        time.sleep(0.02)
    raise Broken("jobs wait, and none runs")


def _wait_for_removal(console: Console) -> None:
    deadline = time.monotonic() + TO_END
    while console.ask("GET", f"agent-sessions/{DOOMED}")[0] != 404:
        if time.monotonic() > deadline:
            raise Broken("the session is not removed")
        time.sleep(0.1)


def _wrong_jobs(results: Mapping[str, Any], load: Load) -> Iterator[str]:
    for path, job in results.items():
        if job["status"] == "done" and job["calls"] != calls_of(load):
            yield f"{path} went through {job['calls']} calls, should be {calls_of(load)}"
        if job["status"] != "done" and not job["error"]:
            yield f"{path} is {job['status']} without a reason"


def _wrong_in_store(stored: Mapping[str, Any], load: Load) -> Iterator[str]:
    should = {"waiting": 0, "calls": len(load.kinds), "events": load.events}
    yield from (
        f"{name}: {stored[name]}, should be {right}"
        for name, right in should.items()
        if stored[name] != right
    )
    yield from stored["differences"]

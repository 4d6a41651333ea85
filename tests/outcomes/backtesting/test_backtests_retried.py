"""Backtests whose processes die or whose hosts have different clocks."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from outcomes.backtesting.commands import start_backtest, waiting_backtests
from outcomes.jobs import commands as jobs
from outcomes.models import Backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests.builders import an_outcome
from tests.governance.contracts.documents import document, pre
from tests.outcomes.backtests import EDITOR
from tests.outcomes.waiting_jobs import claim_next, run_waiting_backtests

RM = pre("{args.command: {contains: rm}}", rule_id="no-rm")


@contextmanager
def killing(most: int) -> Iterator[list[int]]:
    """Kill the next evaluation processes as soon as they start, this many in total."""
    known, killed, over = evaluators(), list[int](), threading.Event()

    def kill() -> None:
        while len(killed) < most and not over.wait(0.005):
            for pid in sorted(evaluators() - known)[: most - len(killed)]:
                known.add(pid)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def evaluators() -> set[int]:
    """Evaluation processes started by this process."""
    result = set()
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"evaluator" in (each / "cmdline").read_bytes():
                result.add(int(each.name))
    return result


@pytest.mark.parametrize("minutes", [-5, 5])
def test_leases_are_measured_by_the_database_clock(project, agent, monkeypatch, minutes):
    """Clocks of hosts differ, including that of the host that requeues lost jobs."""
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    claimed = claim_next(Backtest.objects.all())
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(minutes=minutes))
    assert claimed is not None
    assert jobs.note(claimed)
    assert not waiting_backtests()
    assert Backtest.objects.get().status == "running"
    Backtest.objects.update(heard_at=now() - timedelta(minutes=1))
    assert waiting_backtests()


@pytest.mark.usefixtures("own_engines")
def test_a_backtest_is_retried_when_its_evaluation_process_dies(project, agent):
    agent.post(an_outcome(tool_name="shell", tool_args={"command": "rm"}))
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    with killing(1) as killed:
        assert run_waiting_backtests() == 2
    assert len(killed) == 1
    backtest = Backtest.objects.get()
    assert (backtest.status, backtest.tries) == ("done", 2)
    assert backtest.newly_denied == 1


@pytest.mark.usefixtures("own_engines")
def test_a_backtest_fails_after_its_evaluation_process_died_three_times(project, agent):
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    with killing(100):
        assert run_waiting_backtests() == 3
    backtest = Backtest.objects.get()
    assert (backtest.status, backtest.tries) == ("failed", 3)
    assert "The evaluation process ended" in backtest.error

"""The process pool that pages share: a call that hangs or crashes does not affect others."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from governance.core.errors import EvaluationBusy, EvaluationLimit
from governance.evaluation import engine as shared
from governance.evaluation.engine import Engine, NotEvaluated, Result
from governance.evaluation.engine.pool import Pool
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, call, document, pre

TEXT = document(pre(ALWAYS))


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool()
    yield pool
    pool.close()


def test_sequential_requests_share_one_process_started_on_demand(pool):
    assert pool.pids == []
    for number in range(3):
        assert pool.validate(document(pre(f"{{args.x: {{equals: {number}}}}}"))).valid
    assert len(pool.pids) == 1


def test_evaluation_uses_at_most_half_of_the_cores(pool):
    ours = os.sched_getaffinity(0)
    assert pool.validate(document(pre("{args.x: {equals: 1}}"))).valid
    (pid,) = pool.pids
    cores = os.sched_getaffinity(pid)
    assert cores <= ours
    assert len(cores) == max(1, len(ours) - len(ours) // 2)


def test_undecodable_bytes_start_no_process(pool):
    assert not pool.validate(b"a: \xff").valid
    assert pool.pids == []


@pytest.mark.slow
def test_a_hanging_request_does_not_block_others():
    slow = Pool(call_seconds=120.0, base_seconds=240.0)
    hanging = threading.Thread(target=ask_and_be_refused, args=[slow])
    hanging.start()
    try:
        while not slow.pids:
            hanging.join(0.01)
        for number in range(5):
            assert slow.evaluate_call(TEXT, call(x=number)).decision == "block"
        assert hanging.is_alive()
    finally:
        kill_until_refused(slow, hanging)


def ask_and_be_refused(pool: Pool) -> None:
    with pytest.raises(EvaluationLimit):
        pool.evaluate_call(EVIL, call(x=EVIL_TEXT))


def kill_until_refused(pool: Pool, hanging: threading.Thread) -> None:
    """Kill every process until the request is rejected: it is retried twice on a new process."""
    while hanging.is_alive():
        for pid in pool.pids:
            with suppress(ProcessLookupError):  # already dead, and its successor not started yet
                os.kill(pid, signal.SIGKILL)
        hanging.join(0.01)
    pool.close()


def test_more_requests_than_processes_are_all_served(pool):
    decisions: list[str] = []
    threads = [
        threading.Thread(target=lambda: decisions.append(pool.evaluate_call(TEXT, call()).decision))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert decisions == ["block"] * 8
    assert len(pool.pids) <= 2


def test_a_request_is_rejected_with_a_message_if_all_processes_are_busy():
    busy = Pool(members=1, call_seconds=120.0, base_seconds=240.0, wait_seconds=0.0)
    hanging = threading.Thread(target=ask_and_be_refused, args=[busy])
    hanging.start()
    try:
        while not busy.pids:
            hanging.join(0.01)
        with pytest.raises(EvaluationBusy, match="Try again in a moment"):
            busy.evaluate_call(TEXT, call())
    finally:
        kill_until_refused(busy, hanging)


def test_a_killed_process_of_the_pool_is_replaced(pool):
    pool.evaluate_call(TEXT, call())
    (first,) = pool.pids
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert pool.explain(TEXT, call()).decision == "block"
    assert first not in pool.pids


def test_a_runaway_call_is_stopped_without_ending_its_process():
    pool = Pool(call_seconds=0.1, base_seconds=60.0)
    assert pool.evaluate_call(EVIL, call(x="b")).decision == "allow"
    (before,) = pool.pids
    for ask in (pool.evaluate_call, pool.explain):
        with pytest.raises(EvaluationLimit, match="took too long"):
            ask(EVIL, call(x=EVIL_TEXT))
    assert pool.evaluate_call(EVIL, call(x="aaa")).decision == "block"
    assert pool.pids == [before]
    pool.close()


def test_a_forked_server_starts_its_own_processes(pool):
    pool.evaluate_call(TEXT, call())
    mine = pool.pids
    forked = os.fork()
    if forked == 0:
        decision = pool.evaluate_call(TEXT, call()).decision
        own = not set(pool.pids) & set(mine)
        pool.close()
        os._exit(0 if decision == "block" and own else 1)
    assert os.waitpid(forked, 0)[1] == 0
    assert pool.evaluate_call(TEXT, call()).decision == "block"
    assert pool.pids == mine


def test_the_shared_pool_serves_every_operation():
    assert shared.validate(TEXT).valid
    assert shared.evaluate_call(TEXT, call()).action == "block"
    assert shared.explain(TEXT, call()).action == "block"
    assert [word_of(result) for result in shared.evaluate(TEXT, [call()])] == ["block"]


def test_results_are_streamed_while_calls_are_generated():
    made: list[int] = []

    def calls():
        for number in range(5_000):
            made.append(number)
            yield call(n=number)

    with Engine() as engine:
        results = engine.evaluate_each(TEXT, calls())
        assert word_of(next(results)) == "block"
        assert len(made) < 2_000
        assert engine.evaluate_call(document(pre(ALWAYS, action="ask")), call()).action == "ask"
        assert len(list(results)) == 4_999


def test_runaway_calls_are_isolated_individually():
    hopeless = {3, 260, 261, 599}
    calls = [call(x=EVIL_TEXT if n in hopeless else "aaa" * (n % 2)) for n in range(600)]
    with Engine(call_seconds=0.1, base_seconds=60.0) as engine:
        items = [word_of(result) for result in engine.evaluate(EVIL, calls)]
    assert {n for n, word in enumerate(items) if word == "evaluation_limit"} == hopeless
    assert {word for n, word in enumerate(items) if n % 2 and n not in hopeless} == {"block"}
    assert {word for n, word in enumerate(items) if not n % 2 and n not in hopeless} == {"allow"}


@pytest.mark.slow
def test_a_list_of_runaway_calls_terminates():
    calls = [call(x=EVIL_TEXT)] * 60
    with Engine(call_seconds=0.05, base_seconds=60.0) as engine:
        results = engine.evaluate(EVIL, calls)
    assert [word_of(result) for result in results] == ["evaluation_limit"] * 60


@pytest.mark.slow
def test_a_process_is_killed_if_its_call_cannot_be_stopped_and_the_rest_complete():
    calls = [call(x=EVIL_TEXT if n == 5 else "aaa") for n in range(8)]
    with Engine(call_seconds=60.0, base_seconds=4.0) as engine:
        items = [word_of(result) for result in engine.evaluate(EVIL, calls)]
    assert items == ["evaluation_limit" if n == 5 else "block" for n in range(8)]


def word_of(result: Result) -> str:
    return result.code if isinstance(result, NotEvaluated) else result.decision

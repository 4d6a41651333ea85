"""The processes that pages share: who hangs, dies or waits there is nobody else's business."""

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


def test_nothing_runs_before_the_first_question_and_one_process_answers_those_in_turn(pool):
    assert pool.pids == []
    for number in range(3):
        assert pool.validate(document(pre(f"{{args.x: {{equals: {number}}}}}"))).valid
    assert len(pool.pids) == 1


def test_contracts_leave_half_of_the_cores_to_those_who_serve(pool):
    ours = os.sched_getaffinity(0)
    assert pool.validate(document(pre("{args.x: {equals: 1}}"))).valid
    (pid,) = pool.pids
    cores = os.sched_getaffinity(pid)
    assert cores <= ours
    assert len(cores) == max(1, len(ours) - len(ours) // 2)


def test_bytes_that_are_no_text_start_no_process(pool):
    assert not pool.validate(b"a: \xff").valid
    assert pool.pids == []


@pytest.mark.slow
def test_a_question_that_hangs_keeps_nobody_waiting():
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
    """A question whose process was killed is put to a new one, twice, before it is refused."""
    while hanging.is_alive():
        for pid in pool.pids:
            with suppress(ProcessLookupError):  # dead already, and its successor not yet begun
                os.kill(pid, signal.SIGKILL)
        hanging.join(0.01)
    pool.close()


def test_more_questions_than_processes_are_all_answered(pool):
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


def test_a_question_that_finds_all_processes_at_work_is_refused_in_words():
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


def test_a_killed_member_is_replaced_and_its_question_refused_in_words(pool):
    pool.evaluate_call(TEXT, call())
    (first,) = pool.pids
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert pool.explain(TEXT, call()).decision == "block"
    assert first not in pool.pids


def test_a_hopeless_call_is_refused_while_its_process_lives_on():
    pool = Pool(call_seconds=0.1, base_seconds=60.0)
    assert pool.evaluate_call(EVIL, call(x="b")).decision == "allow"
    (before,) = pool.pids
    for ask in (pool.evaluate_call, pool.explain):
        with pytest.raises(EvaluationLimit, match="took too long"):
            ask(EVIL, call(x=EVIL_TEXT))
    assert pool.evaluate_call(EVIL, call(x="aaa")).decision == "block"
    assert pool.pids == [before]
    pool.close()


def test_a_forked_server_asks_processes_of_its_own(pool):
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


def test_pages_share_processes_without_making_their_own():
    assert shared.validate(TEXT).valid
    assert shared.evaluate_call(TEXT, call()).action == "block"
    assert shared.explain(TEXT, call()).action == "block"
    assert [word_of(result) for result in shared.evaluate(TEXT, [call()])] == ["block"]


def test_results_come_while_calls_are_still_made():
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


def test_hopeless_calls_among_many_are_isolated_one_by_one():
    hopeless = {3, 260, 261, 599}
    calls = [call(x=EVIL_TEXT if n in hopeless else "aaa" * (n % 2)) for n in range(600)]
    with Engine(call_seconds=0.1, base_seconds=60.0) as engine:
        items = [word_of(result) for result in engine.evaluate(EVIL, calls)]
    assert {n for n, word in enumerate(items) if word == "evaluation_limit"} == hopeless
    assert {word for n, word in enumerate(items) if n % 2 and n not in hopeless} == {"block"}
    assert {word for n, word in enumerate(items) if not n % 2 and n not in hopeless} == {"allow"}


@pytest.mark.slow
def test_a_list_of_hopeless_calls_comes_to_an_end():
    calls = [call(x=EVIL_TEXT)] * 60
    with Engine(call_seconds=0.05, base_seconds=60.0) as engine:
        results = engine.evaluate(EVIL, calls)
    assert [word_of(result) for result in results] == ["evaluation_limit"] * 60


@pytest.mark.slow
def test_where_a_call_cannot_be_stopped_the_process_is_and_the_others_are_judged():
    calls = [call(x=EVIL_TEXT if n == 5 else "aaa") for n in range(8)]
    with Engine(call_seconds=60.0, base_seconds=4.0) as engine:
        items = [word_of(result) for result in engine.evaluate(EVIL, calls)]
    assert items == ["evaluation_limit" if n == 5 else "block" for n in range(8)]


def word_of(result: Result) -> str:
    return result.code if isinstance(result, NotEvaluated) else result.decision

"""How the bounded executor runs tools: sync and async, deadlines, cancellation, recording."""

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clients.python.tests.executing import (
    DAY_S,
    Clock,
    a_call,
    a_tool,
    execute,
    outcome_of,
    the_output,
)
from clients.python.tests.receiver import Receiver
from edictum_site_client import Console
from edictum_site_client.executor import BoundedExecutor, TurnBudget, TurnState
from edictum_site_client.outcomes import (
    ToolArtifactReference,
    ToolFailure,
    ToolOutcome,
    ToolTimeout,
)
from tests.journeys.console import KEY


async def wait_for_ever() -> None:
    await asyncio.sleep(DAY_S)


@pytest.fixture
def hang() -> Iterator[Callable[[], None]]:
    """A sync tool that runs until its test ends."""
    over = threading.Event()

    def wait() -> None:
        over.wait(DAY_S)

    yield wait
    over.set()


def test_a_sync_tool_runs_in_a_thread_and_an_async_one_in_the_loop():
    async def in_the_loop() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert the_output(outcome_of(in_the_loop)) is True
    in_main = lambda: threading.current_thread() is threading.main_thread()  # noqa: E731
    assert the_output(outcome_of(in_main)) is False


def test_whatever_can_be_called_is_a_tool():
    class Desk:
        async def lookup(self, n: int) -> int:
            return n

        async def __call__(self, n: int) -> int:
            return n

    async def add(n: int, more: int) -> int:
        return n + more

    kinds: list[Callable[..., Any]] = [
        Desk().lookup,
        Desk(),
        functools.partial(add, more=0),
        lambda n: add(n, 0),
        lambda n: n,
    ]
    assert [the_output(outcome_of(kind, {"n": 7})) for kind in kinds] == [7] * len(kinds)


def test_a_tool_past_its_deadline_is_a_timeout(hang):
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(DAY_S)
            except asyncio.CancelledError:
                return  # treats the cancellation as a normal result

    for tool in (wait_for_ever, stubborn, hang, lambda: wait_for_ever()):
        outcome = outcome_of(tool, deadline_s=0.01)
        assert isinstance(outcome, ToolTimeout)
        assert outcome.deadline_s == 0.01
        assert outcome.elapsed_ms is not None
        assert outcome.elapsed_ms >= 10


def test_what_a_tool_does_after_its_deadline_changes_nothing():
    over, ended = threading.Event(), threading.Event()

    def late() -> str:
        over.wait(20)
        ended.set()
        return "late"

    async def turn() -> ToolOutcome:
        outcome = await BoundedExecutor([a_tool(late)], deadline_s=0.01).execute(a_call(), state)
        over.set()
        await asyncio.to_thread(ended.wait, 20)
        return outcome

    state = TurnState()
    assert isinstance(asyncio.run(turn()), ToolTimeout)
    assert not state.replay_control.succeeded("query", {}, a_tool(late))


def test_a_tool_has_no_longer_than_its_turn():
    clock = Clock()
    state = TurnState(TurnBudget(0.01, clock))
    executor = BoundedExecutor([a_tool(wait_for_ever, deadline_s=DAY_S)])
    outcome = execute(executor, state=state)
    assert isinstance(outcome, ToolTimeout)
    assert outcome.deadline_s == 0.01


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KeyError("account"), "KeyError: 'account'"),
        (TimeoutError(), "TimeoutError"),
        (StopIteration(7), None),
        (asyncio.CancelledError("by itself"), "CancelledError: by itself"),
        (type("Mute", (Exception,), {"__str__": lambda self: 1 / 0})(), "Mute"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_what_a_tool_raises_is_a_failure(error, text, is_async):
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    outcome = outcome_of(fail_later if is_async else fail)
    assert isinstance(outcome, ToolFailure)
    assert outcome.retryable
    assert text is None or outcome.error == text


@pytest.mark.parametrize(
    ("returned", "error", "retryable"),
    [
        ({"error": "no such user"}, "no such user", True),
        ({"error": "no such user", "retryable": False}, "no such user", False),
        ({"error": {"code": 404}}, '{"code":404}', True),
        ({"error": ValueError("x")}, "ValueError: x", True),
    ],
    ids=repr,
)
def test_a_returned_error_is_a_failure(returned, error, retryable):
    outcome = outcome_of(lambda: returned)
    assert isinstance(outcome, ToolFailure)
    assert (outcome.error, outcome.retryable) == (error, retryable)


@pytest.mark.parametrize("returned", [{"error": None}, {"error": ""}, {"errors": 1}, ["error"]])
def test_a_result_without_an_error_in_it_is_a_result(returned):
    assert the_output(outcome_of(lambda: returned)) == returned


def test_a_cancelled_call_is_recorded_once_and_still_cancelled(receiver: Receiver):
    async def give_up(executor: BoundedExecutor, state: TurnState) -> None:
        task = asyncio.create_task(executor.execute(a_call(), state))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Console(receiver.url, api_key=KEY) as console:
        executor = BoundedExecutor([a_tool(wait_for_ever)], console=console)
        state = TurnState()
        asyncio.run(give_up(executor, state))
    (item,) = receiver.items
    assert (item["type"], item["error"]) == ("failure", "CancelledError")
    assert state.replay_control.failed("query", {}, a_tool(wait_for_ever))


def test_a_call_cancelled_during_confirmation_is_denied(receiver: Receiver):
    async def confirm(call: object) -> bool:
        await wait_for_ever()
        return True

    async def give_up(executor: BoundedExecutor) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(executor.execute(a_call(), TurnState()), 0.01)

    with Console(receiver.url, api_key=KEY) as console:
        tool = a_tool(print, writes=True)
        asyncio.run(give_up(BoundedExecutor([tool], confirm_write=confirm, console=console)))
    (item,) = receiver.items
    assert (item["type"], item["reason"]) == ("denied", "write_denied")


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_what_ends_the_process_is_recorded_and_raised_on(receiver: Receiver, ending, is_async):
    def end() -> None:
        raise ending("now")

    async def end_later() -> None:
        raise ending("now")

    with Console(receiver.url, api_key=KEY) as console:
        tool = a_tool(end_later if is_async else end)
        with pytest.raises(ending):
            execute(BoundedExecutor([tool], console=console))
    (item,) = receiver.items
    assert (item["type"], item["error"]) == ("failure", f"{ending.__name__}: now")


def test_calls_inside_of_a_tool_name_it_as_their_parent(receiver: Receiver):
    def outer() -> None:
        with console.call("inner") as call:
            call.returned(1)

    async def outer_later() -> None:
        outer()

    with Console(receiver.url, api_key=KEY) as console:
        for tool in (outer, outer_later):
            execute(BoundedExecutor([a_tool(tool)], console=console))
    inner = [item for item in receiver.items if item["tool_name"] == "inner"]
    assert [item["parent_call_id"] for item in inner] == ["c-1", "c-1"]


def test_every_outcome_is_recorded_in_its_session(receiver: Receiver):
    def repair(arguments: Any, problem: str, spec: object) -> Any:
        return {"n": 7}

    with Console(receiver.url, api_key=KEY) as console, console.session("s-9", "t-3"):
        executor = BoundedExecutor(
            [a_tool(lambda n: {"is_error": n}, idempotent=True)], console=console, repair=repair
        )
        state = TurnState()
        for arguments in ({"n": 0}, {"n": 0}, {"m": 1}):
            execute(executor, a_call(arguments), state)
    first, second, third = receiver.items
    assert {(item["session_id"], item["turn_id"]) for item in receiver.items} == {("s-9", "t-3")}
    assert (first["type"], first["tool_args"], first["idempotent"]) == (
        "execution_result",
        {"n": 0},
        True,
    )
    assert (second["type"], second["reason"]) == ("denied", "duplicate")
    assert (third["was_coerced"], third["tool_args"]) == (True, {"n": 7})
    assert (first["tool_success"], third["tool_success"]) == (True, False)


def test_a_console_that_fails_does_not_break_the_agent():
    console = Console("http://127.0.0.1:9", api_key=KEY, exit_timeout=0.0)
    executor = BoundedExecutor([a_tool(lambda: "x" * 20_000)], console=console)
    assert isinstance(execute(executor), ToolArtifactReference)
    console.close()
    assert isinstance(execute(executor), ToolArtifactReference)


def test_calls_at_the_same_time_have_an_outcome_each():
    def double(n: int) -> int:
        return n * 2

    async def turn() -> list[ToolOutcome]:
        executor, state = BoundedExecutor([a_tool(double)]), TurnState()
        calls = [a_call({"n": n}, call_id=f"c-{n}") for n in range(20)]
        return await asyncio.gather(*(executor.execute(call, state) for call in calls))

    outcomes = asyncio.run(turn())
    assert [the_output(outcome) for outcome in outcomes] == [n * 2 for n in range(20)]
    assert [outcome.call_id for outcome in outcomes] == [f"c-{n}" for n in range(20)]


def test_a_function_that_makes_a_coroutine_too_late_leaves_none_behind():
    over, made = threading.Event(), list[Any]()

    async def nothing() -> None: ...

    def late() -> Any:
        over.wait(20)
        made.append(nothing())
        return made[0]

    outcome = outcome_of(late, deadline_s=0.01)
    over.set()
    for thread in threading.enumerate():
        if thread.name == "tool c-1":
            thread.join(20)
    assert isinstance(outcome, ToolTimeout)
    assert inspect.getcoroutinestate(made[0]) == inspect.CORO_CLOSED

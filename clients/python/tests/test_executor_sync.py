"""The bounded executor in an agent that has no event loop."""

import asyncio
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import edictum_site_client
from clients.python.tests.executing import a_call, a_tool, the_output
from clients.python.tests.receiver import Receiver
from edictum_site_client import Console
from edictum_site_client.executor import BoundedExecutor, ToolCall, TurnBudget, TurnState
from edictum_site_client.outcomes import ToolTimeout
from tests.journeys.console import KEY

SOURCE = Path(edictum_site_client.__file__).parents[1]


def test_an_agent_without_an_event_loop_executes_too():
    executor = BoundedExecutor([a_tool(lambda n: n)])
    assert the_output(executor.execute_sync(a_call({"n": 7}), TurnState())) == 7

    async def wrong() -> None:
        executor.execute_sync(a_call({"n": 7}), TurnState())

    with pytest.raises(RuntimeError, match="await execute"):
        asyncio.run(wrong())


def test_a_coroutine_that_ignores_its_cancellation_holds_up_no_agent_without_a_loop():
    over = threading.Event()

    async def stubborn() -> None:
        while not over.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    executor = BoundedExecutor([a_tool(stubborn, deadline_s=0.01), a_tool(lambda: 7, "other")])
    assert isinstance(executor.execute_sync(a_call(), TurnState()), ToolTimeout)
    assert the_output(executor.execute_sync(a_call(tool_name="other"), TurnState())) == 7
    over.set()


def test_what_a_tool_keeps_open_is_usable_in_the_next_call_of_an_agent_without_a_loop():
    locks: list[asyncio.Lock] = []

    async def hold() -> int:
        locks.append(locks[0] if locks else asyncio.Lock())
        async with locks[0]:
            await asyncio.sleep(0)
            return id(asyncio.get_running_loop())

    executor = BoundedExecutor([a_tool(hold)])
    loops = {the_output(executor.execute_sync(a_call(), TurnState())) for _ in range(3)}
    assert len(loops) == 1


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_reaches_an_agent_without_a_loop(ending):
    async def end() -> None:
        raise ending("now")

    executor = BoundedExecutor([a_tool(end), a_tool(lambda: 7, "other")])
    with pytest.raises(ending):
        executor.execute_sync(a_call(), TurnState())
    assert the_output(executor.execute_sync(a_call(tool_name="other"), TurnState())) == 7


@pytest.mark.parametrize("seconds", [None, 60])
def test_a_hook_that_ends_the_process_does_so(seconds, receiver: Receiver):
    async def hook(call: ToolCall) -> None:
        if call.tool_name == "query":
            raise SystemExit("now")

    with Console(receiver.url, api_key=KEY) as console:
        tools = [a_tool(print), a_tool(lambda: 7, "other")]
        executor = BoundedExecutor(tools, console=console, on_pre_tool_use=hook)
        state = TurnState(None if seconds is None else TurnBudget(seconds))
        with pytest.raises(SystemExit):
            executor.execute_sync(a_call(), state)
        assert the_output(executor.execute_sync(a_call(tool_name="other"), state)) == 7
    assert [item["type"] for item in receiver.items] == ["denied", "execution_result"]


def test_an_interrupt_while_a_tool_runs_is_recorded(receiver: Receiver):
    program = """
import asyncio, os, signal, sys, threading
from edictum_site_client import Console
from edictum_site_client.executor import BoundedExecutor, ToolCall, TurnState

signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may run where it is ignored

async def wait():
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    await asyncio.sleep(600)

console = Console(sys.argv[1], api_key="key")
BoundedExecutor([wait], console=console).execute_sync(ToolCall("c-1", "wait"), TurnState())
"""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, receiver.url],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert ran.stderr.endswith("KeyboardInterrupt\n")
    (item,) = receiver.items
    assert (item["type"], item["error"]) == ("failure", "CancelledError")

"""Edictum adapters that run without their frameworks, against the live console."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from edictum import Edictum
from edictum.adapters.agno import AgnoAdapter
from edictum.adapters.claude_agent_sdk import ClaudeAgentSDKAdapter
from edictum.adapters.google_adk import GoogleADKAdapter
from edictum.adapters.langchain import LangChainAdapter
from edictum.adapters.nanobot import GovernedToolRegistry

from edictum_site_client import Console as Client
from tests.journeys.console import Console

Calls = dict[Any, dict[str, Any]]


def a_guard(client: Client, contract: Path) -> Edictum:
    guard = Edictum.from_yaml(contract, **client.guard_options())
    assert isinstance(guard, Edictum)
    return guard


def calls_of(client: Client, console: Console, session: str) -> Calls:
    assert client.flush(60)
    outcomes = console.settled(f"outcomes?session={session}&limit=1000")["outcomes"]
    return {outcome["tool_args"]["number"]: outcome for outcome in outcomes}


def test_calls_that_are_open_at_once_in_one_task_get_their_own_results(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    adapter = ClaudeAgentSDKAdapter(a_guard(client, contract), session_id=session)
    hooks = adapter.to_hook_callables()

    async def converse() -> None:
        for number in range(20):
            await hooks["pre_tool_use"]("echo", {"number": number}, f"use-{number}")
        for number in (7, 3, *range(8, 20), 0, 1, 2, 4, 5, 6):
            result = {"is_error": number % 2 == 1, "number": number}
            await hooks["post_tool_use"](tool_use_id=f"use-{number}", tool_response=result)

    asyncio.run(converse())
    outcomes = calls_of(client, console, session)
    assert len(outcomes) == 20
    for number, outcome in outcomes.items():
        assert outcome["output"]["number"] == number
        assert outcome["reported"] == ("failure" if number % 2 else "success")


def test_google_adk_tells_errors_by_its_own_rule_and_exceptions_by_its_own_event(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    adapter = GoogleADKAdapter(a_guard(client, contract), session_id=session)
    before, after, failed = adapter.as_agent_callbacks()
    tool = SimpleNamespace(name="echo")

    async def converse() -> None:
        for number, end in enumerate(
            (
                lambda context: after(tool, {}, context, {"error": "quota"}),
                lambda context: after(tool, {}, context, {"fine": True}),
                lambda context: failed(tool, {}, context, ValueError("boom")),
            )
        ):
            context = SimpleNamespace(function_call_id=f"call-{number}", state={})
            assert await before(tool, {"number": number}, context) is None
            await end(context)

    asyncio.run(converse())
    outcomes = calls_of(client, console, session)
    assert (outcomes[0]["reported"], outcomes[0]["output"]) == ("failure", {"error": "quota"})
    assert (outcomes[1]["reported"], outcomes[1]["output"]) == ("success", {"fine": True})
    assert (outcomes[2]["type"], outcomes[2]["error"]) == ("failure", "boom")


def test_agnos_wrapping_hook_takes_every_returned_value_for_a_success(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    adapter = AgnoAdapter(a_guard(client, contract), session_id=session)
    hook = adapter.as_tool_hook()

    def echo(number: int) -> str:
        if number == 2:
            raise ValueError("boom")
        return "Error: as words go"

    hook("echo", echo, {"number": 1})
    hook("echo", echo, {"number": 2})
    outcomes = calls_of(client, console, session)
    assert (outcomes[1]["reported"], outcomes[1]["output"]) == ("success", "Error: as words go")
    assert (outcomes[2]["type"], outcomes[2]["error"]) == ("failure", "Error: boom")


def test_langchains_messages_are_judged_by_their_content(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    adapter = LangChainAdapter(a_guard(client, contract), session_id=session)
    wrapper = adapter.as_tool_wrapper()
    for number, content in enumerate(("fine", "Error: no such table")):
        call = {"name": "echo", "args": {"number": number}, "id": f"call-{number}"}
        message = SimpleNamespace(content=content)
        wrapper(SimpleNamespace(tool_call=call), lambda _, message=message: message)
    outcomes = calls_of(client, console, session)
    assert [outcomes[number]["reported"] for number in (0, 1)] == ["success", "failure"]


def test_nanobots_tools_run_side_by_side_and_keep_their_results_apart(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    class Registry:
        async def execute(self, name: str, args: dict[str, Any]) -> str:
            await asyncio.sleep(0.02 - args["number"] / 1_000)
            return f"number {args['number']}"

    registry = GovernedToolRegistry(Registry(), a_guard(client, contract), session_id=session)

    async def all_at_once() -> None:
        await asyncio.gather(*(registry.execute("echo", {"number": one}) for one in range(20)))

    asyncio.run(all_at_once())
    outcomes = calls_of(client, console, session)
    assert {number: outcome["output"] for number, outcome in outcomes.items()} == {
        number: f"number {number}" for number in range(20)
    }

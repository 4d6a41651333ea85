"""Outcomes without edictum: the decorator and the context manager against the live console."""

import asyncio
from typing import Any

import pytest

from edictum_site_client import Console as Client
from tests.journeys.console import KEY, Console


def outcomes(client: Client, console: Console, session: str) -> dict[str, dict[str, Any]]:
    assert client.flush(60)
    answer = console.settled(f"outcomes?session={session}")["outcomes"]
    return {outcome["tool_name"]: outcome for outcome in answer}


def test_a_decorated_function_is_recorded_with_its_arguments(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    def add(first: int, second: int = 2) -> int:
        return first + second

    with client.session(session, "turn-1"):
        assert add(1, second=3) == 4
    outcome = outcomes(client, console, session)["add"]
    assert (outcome["type"], outcome["output"]) == ("execution_result", 4)
    assert outcome["tool_args"] == {"first": 1, "second": 3}
    assert (outcome["turn_id"], outcome["verdict"]) == ("turn-1", "success")
    assert outcome["elapsed_ms"] is not None


def test_a_decorated_coroutine_is_recorded_when_it_is_done(
    client: Client, console: Console, session: str
) -> None:
    @client.tool("fetch", idempotent=True)
    async def fetch(url: str) -> dict[str, Any]:
        await asyncio.sleep(0.02)
        return {"is_error": True, "url": url}

    async def both() -> None:
        with client.session(session):
            await fetch("a")

    asyncio.run(both())
    outcome = outcomes(client, console, session)["fetch"]
    assert outcome["elapsed_ms"] >= 20
    assert (outcome["reported"], outcome["verdict"]) == ("failure", "failure")


def test_what_a_tool_raises_is_raised_and_recorded(
    client: Client, console: Console, session: str
) -> None:
    @client.tool(retryable=False)
    def lookup() -> None:
        raise KeyError("account")

    @client.tool(deadline_s=30)
    async def wait() -> None:
        raise asyncio.TimeoutError

    with client.session(session):
        with pytest.raises(KeyError):
            lookup()
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(wait())
    answer = outcomes(client, console, session)
    assert (answer["lookup"]["type"], answer["lookup"]["error"]) == (
        "failure",
        "KeyError: 'account'",
    )
    assert answer["lookup"]["retryable"] is False
    assert (answer["wait"]["type"], answer["wait"]["deadline_s"]) == ("timeout", 30)


def test_a_cancelled_coroutine_is_a_failure_and_still_cancelled(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    async def wait() -> None:
        await asyncio.sleep(30)

    async def give_up() -> None:
        with client.session(session):
            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(give_up())
    assert outcomes(client, console, session)["wait"]["error"] == "CancelledError"


def test_the_context_manager_tells_results_failures_and_denials(
    client: Client, console: Console, session: str
) -> None:
    with client.call("asked", {"id": 7}, session_id=session) as call:
        call.returned({"rows": []})
    with client.call("refused", session_id=session) as call:
        call.denied("duplicate", "already done in this turn")
    with client.call("unsaid", session_id=session):
        pass
    with client.call("failed", session_id=session) as call:
        call.failed("HTTP 500")

    async def on_the_loop() -> None:
        async with client.call("later", session_id=session) as call:
            call.returned(await asyncio.sleep(0, "done"))

    asyncio.run(on_the_loop())
    answer = outcomes(client, console, session)
    assert (answer["asked"]["output"], answer["asked"]["tool_args"]) == ({"rows": []}, {"id": 7})
    assert (answer["refused"]["type"], answer["refused"]["reason"]) == ("denied", "duplicate")
    assert "output" not in answer["unsaid"]
    assert answer["failed"]["error"] == "HTTP 500"
    assert answer["later"]["output"] == "done"


def test_a_call_inside_of_another_names_it_as_its_parent(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    def inner() -> int:
        return 1

    with client.session(session), client.call("outer") as call:
        inner()
    answer = outcomes(client, console, session)
    status, details = console.ask("GET", f"outcomes/{answer['inner']['call_id']}")
    assert status == 200
    assert details["events"][0].get("parent_call_id", call.call_id) == call.call_id
    assert answer["inner"]["call_id"] != call.call_id


def test_arguments_that_do_not_fit_are_the_functions_to_refuse(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    def lookup(account: str) -> str:
        return account

    with client.session(session), pytest.raises(TypeError):
        lookup("A", "B", more=1)  # type: ignore[call-arg]  # refused by the function
    answer = outcomes(client, console, session)["lookup"]
    assert (answer["type"], answer["tool_args"]) == ("failure", {"0": "A", "1": "B", "more": 1})


def test_a_large_output_becomes_an_artifact_over_there(
    client: Client, console: Console, session: str
) -> None:
    with client.call("dump", session_id=session) as call:
        call.returned("row\n" * 50_000)
    outcome = outcomes(client, console, session)["dump"]
    assert outcome["type"] == "artifact_reference"
    assert outcome["size_bytes"] == 200_000


def test_a_method_is_recorded_without_its_object(console: Console, session: str) -> None:
    with Client(console.url, api_key=KEY) as client:

        class Desk:
            @client.tool
            def lookup(self, account: str) -> str:
                return account

        with client.session(session):
            assert Desk().lookup("A-1") == "A-1"
        assert outcomes(client, console, session)["lookup"]["tool_args"] == {"account": "A-1"}


@pytest.mark.parametrize("name", ["http", "custom"])
def test_a_check_of_the_agents_own_decides_where_none_is_bound(
    client: Client, console: Console, session: str, name: str
) -> None:
    client.success_check = (
        (lambda _, result: result["status"] < 400) if name == "custom" else client.check(name)
    )
    with client.session(session), client.call("fetch") as call:
        call.returned({"status": 500})
    outcome = outcomes(client, console, session)["fetch"]
    assert (outcome["classified"], outcome["reported"]) == ("success", "failure")
    assert (outcome["verdict"], outcome["decided_by"]) == ("failure", "agent")
    assert outcome["metadata"]["success_check"]["name"] == name


def test_without_a_check_none_is_named_and_the_default_decides(
    client: Client, console: Console, session: str
) -> None:
    with client.session(session), client.call("fetch") as call:
        call.returned({"is_error": True})
    outcome = outcomes(client, console, session)["fetch"]
    assert outcome["metadata"] is None
    assert (outcome["verdict"], outcome["decided_by"]) == ("failure", "default")


def test_an_output_that_was_cut_on_its_way_says_so(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    def build() -> str:
        return "compiling\n" * 300_000 + "Traceback (most recent call last):\nKeyError: 7"

    @client.tool
    def echo() -> str:
        return "done"

    with client.session(session):
        build()
        echo()
    seen = outcomes(client, console, session)
    assert seen["build"]["metadata"]["output_cut"] is True
    assert (seen["build"]["cut"], seen["build"]["decided_by"]) == (True, "agent")
    assert seen["echo"]["metadata"] is None
    artifact = client.fetch(f"artifacts/{seen['build']['artifact_id']}", {})
    assert artifact.body.endswith(b"KeyError: 7")

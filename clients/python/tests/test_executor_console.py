"""The console reconstructs a turn of the bounded executor from its outcomes."""

import asyncio
from typing import Any

from clients.python.tests.executing import a_tool
from edictum_site_client import Console as Client
from edictum_site_client.executor import BoundedExecutor, PermanentFailure, ToolCall, TurnState
from tests.journeys.console import Console


def fail(n: int) -> None:
    raise PermanentFailure("no such table")


def refuse(n: int) -> dict[str, str]:
    return {"error": "try again"}


CALLS = [
    ("lookup", {"n": 1}),
    ("lookup", {"n": 1}),  # a duplicate
    ("lookup", {"n": "2"}),  # repaired
    ("refuse", {"n": 1}),
    ("fail", {"n": 1}),
    ("fail", {"n": 2}),  # blocked
    ("nonesuch", {}),
]


def repair(arguments: Any, problem: str, spec: object) -> Any:
    return {"n": int(arguments["n"])}


def validate(arguments: Any, spec: object) -> str | None:
    return None if isinstance(arguments["n"], int) else "n is no number"


def test_the_console_reads_the_turn_that_the_executor_had(
    client: Client, console: Console, session: str
) -> None:
    executor = BoundedExecutor(
        [
            a_tool(lambda n: {"n": n}, "lookup", idempotent=True),
            a_tool(refuse, "refuse"),
            a_tool(fail, "fail"),
        ],
        console=client,
        validator=validate,
        repair=repair,
    )
    state = TurnState()

    async def turn() -> None:
        for number, (tool, arguments) in enumerate(CALLS):
            await executor.execute(ToolCall(f"{number} {session}", tool, arguments), state)

    with client.session(session, "turn-1"):
        asyncio.run(turn())
    assert client.flush(60)
    report = console.settled(f"agent-sessions/{session}")
    (read,) = report["turns"]
    assert set(read["blocked_tools"]) == state.blocked_tool_names == {"fail"}
    assert read["replay"] == {
        "lookup": {"succeeded": [{"n": 1}, {"n": 2}], "failed": []},
        "refuse": {"succeeded": [], "failed": [{"n": 1}]},
        "fail": {"succeeded": [], "failed": [{"n": 1}]},
    }
    assert report["denials"] == {"duplicate": 1, "blocked": 1, "validation": 1}
    assert report["counts"]["attempts"] == len(CALLS)

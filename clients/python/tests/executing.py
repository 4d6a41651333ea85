"""Helpers to run calls through an executor in tests."""

import asyncio
from collections.abc import Callable
from typing import Any

from edictum_site_client.executor import BoundedExecutor, ToolCall, ToolSpec, TurnState
from edictum_site_client.outcomes import ToolExecutionResult, ToolFailure, ToolOutcome

DAY_S = 86_400.0


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def a_tool(function: Callable[..., Any], name: str = "query", **about: Any) -> ToolSpec:
    return ToolSpec(name, function, **about)


def a_call(arguments: Any = None, tool_name: str = "query", call_id: str = "c-1") -> ToolCall:
    return ToolCall(call_id, tool_name, {} if arguments is None else arguments)


def execute(
    executor: BoundedExecutor, call: ToolCall | None = None, state: TurnState | None = None
) -> ToolOutcome:
    return asyncio.run(executor.execute(call or a_call(), state or TurnState()))


def outcome_of(function: Callable[..., Any], arguments: Any = None, **about: Any) -> ToolOutcome:
    """Outcome of one call of a tool with this function."""
    return execute(BoundedExecutor([a_tool(function, **about)]), a_call(arguments))


def the_output(outcome: ToolOutcome) -> Any:
    assert isinstance(outcome, ToolExecutionResult), outcome
    return outcome.output


def the_error(outcome: ToolOutcome) -> str:
    assert isinstance(outcome, ToolFailure), outcome
    return outcome.error

"""Every call gets one outcome, even if tools or calls misbehave."""

from typing import Any

import pytest

from clients.python.tests.executing import a_tool, execute, outcome_of, the_error
from clients.python.tests.receiver import Receiver
from edictum_site_client import Console
from edictum_site_client.executor import BoundedExecutor, ToolCall
from edictum_site_client.outcomes import ToolDenied
from tests.journeys.console import KEY


class Unusual(BaseException):
    """An exception derived from BaseException, as in some test and task libraries."""


@pytest.mark.parametrize("ending", [Unusual("now"), GeneratorExit("now")])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_any_other_exception_of_a_tool_is_its_failure(ending, is_async):
    def end() -> None:
        raise ending

    async def end_later() -> None:
        raise ending

    outcome = outcome_of(end_later if is_async else end)
    assert the_error(outcome) == f"{type(ending).__name__}: now"


class Unreadable:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    ("tool_name", "arguments", "recorded"),
    [(["query"], dict, "[list]"), (None, dict, "[NoneType]"), ("query", Unreadable, "query")],
)
def test_a_call_that_cannot_be_read_is_denied_and_recorded(
    receiver: Receiver, tool_name, arguments, recorded
):
    with Console(receiver.url, api_key=KEY) as console:
        executor = BoundedExecutor([a_tool(print)], console=console)
        outcome = execute(executor, ToolCall("c-1", tool_name, arguments()))
    assert isinstance(outcome, ToolDenied)
    assert (outcome.tool_name, outcome.reason) == (recorded, "validation")
    (item,) = receiver.items
    assert (item["type"], item["tool_name"]) == ("denied", recorded)


class Ambiguous:
    """A value without a truth value, like an array or a table."""

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __str__(self) -> str:
        return "two errors"


def test_an_error_that_is_neither_true_nor_false_is_a_failure():
    assert "two errors" in the_error(outcome_of(lambda: {"error": Ambiguous()}))

"""The executor handles values of any kind as outputs, errors and arguments."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from clients.python.tests.executing import (
    a_call,
    a_tool,
    execute,
    outcome_of,
    the_error,
    the_output,
)
from clients.python.tests.receiver import Receiver
from edictum_site_client import Console
from edictum_site_client.executor import BoundedExecutor
from edictum_site_client.outcomes import (
    TOOL_MESSAGE_MAX_CHARS,
    ToolArtifactReference,
    ToolExecutionResult,
    outcome_to_model_content,
)
from tests.journeys.console import KEY


def circular() -> list[Any]:
    around: list[Any] = [1]
    around.append(around)
    return around


def doubled(times: int) -> list[Any]:
    """A small object that is huge as JSON."""
    value: list[Any] = []
    for _ in range(times):
        value = [value, value]
    return value


class Hostile(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no item")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "output"),
    [
        (circular(), [1, "[circular]"]),
        (object, "<class 'object'>"),
        (Hostile(), "[Hostile]"),
        ({(1, 2): {3}}, {"(1, 2)": [3]}),
        (float("nan"), "nan"),
        (10**5_000, "[int of 16610 bits]"),
        (b"\xff\x00", "/wA="),
        ("\ud800", "\ud800"),
        ({"a": Exception("x")}, {"a": "Exception: x"}),
    ],
    ids=["circular", "class", "hostile", "keys", "nan", "integer", "bytes", "surrogate", "error"],
)
def test_any_value_is_an_output(value, output):
    outcome = outcome_of(lambda: value)
    assert the_output(outcome) == output
    assert json.loads(outcome_to_model_content(outcome)) == output


@pytest.mark.slow
def test_an_output_that_grows_without_end_is_a_failure():
    error = the_error(outcome_of(lambda: doubled(60)))
    assert error.startswith("It ran, but its output is too large.")


@pytest.mark.parametrize("value", [circular(), doubled(60), Hostile(), object()])
def test_any_value_is_an_argument(value, receiver: Receiver):
    with Console(receiver.url, api_key=KEY) as console:
        executor = BoundedExecutor([a_tool(lambda value: "ran", idempotent=True)], console=console)
        assert the_output(execute(executor, a_call({"value": value}))) == "ran"
    assert [item["type"] for item in receiver.items] == ["execution_result"]


def test_a_long_error_fits_into_a_tool_message():
    for text in ("x" * 100_000, "\N{GRINNING FACE}" * 20_000, "\x00" * 20_000):
        outcome = outcome_of(lambda text=text: {"error": text})
        assert len(outcome_to_model_content(outcome)) <= TOOL_MESSAGE_MAX_CHARS
        assert the_error(outcome).endswith("characters]")


def test_no_output_of_a_tool_is_longer_than_a_tool_message():
    for text in ("x" * 11_998, "x" * 11_999, "é" * 11_998, "\N{GRINNING FACE}" * 2_000):
        outcome = outcome_of(lambda text=text: text)
        fits = len(json.dumps(text)) <= TOOL_MESSAGE_MAX_CHARS
        assert isinstance(outcome, ToolExecutionResult if fits else ToolArtifactReference)
        assert len(outcome_to_model_content(outcome)) <= TOOL_MESSAGE_MAX_CHARS

"""Executor outcomes, with their additional details, arrive at the live console."""

import json
from typing import Any

import pytest

from clients.python.tests.receiver import Receiver
from edictum_site_client import Console as Client
from edictum_site_client import Masking
from edictum_site_client.outcomes import (
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolOutcome,
    ToolTimeout,
    outcome_to_model_content,
)
from tests.journeys.console import KEY, Console

ONE_OF_EACH: list[ToolOutcome] = [
    ToolExecutionResult("r", "query", {"rows": [1, None]}, 41, was_coerced=True),
    ToolTimeout("t", "fetch", 2.5, 2_501, retryable=False),
    ToolFailure("f", "insert", "no such table", retryable=False, elapsed_ms=7),
    ToolDenied("d", "delete", "write_denied", "not confirmed"),
    ToolArtifactReference("a", "dump", "store/dump-7", "first row", 120_000),
]


def outcomes(client: Client, console: Console, session: str) -> dict[str, dict[str, Any]]:
    assert client.flush(60)
    answered = console.settled(f"outcomes?session={session}")["outcomes"]
    return {outcome["tool_name"]: outcome for outcome in answered}


@pytest.mark.parametrize("outcome", ONE_OF_EACH, ids=lambda outcome: type(outcome).__name__)
def test_an_outcome_arrives_as_it_was_made(
    client: Client, console: Console, session: str, outcome: ToolOutcome
) -> None:
    named = type(outcome)(f"{outcome.call_id}-{session}", *list(vars(outcome).values())[1:])
    client.record(named, arguments={"id": 7}, session_id=session, turn_id="t-1", idempotent=True)
    (shown,) = outcomes(client, console, session).values()
    assert {name: shown[name] for name in vars(named)} == vars(named)
    assert (shown["tool_args"], shown["turn_id"]) == ({"id": 7}, "t-1")
    status, details = console.ask("GET", f"outcomes/{named.call_id}")
    assert status == 200
    assert json.loads(details["model_content"]) == json.loads(outcome_to_model_content(named))


def test_an_outcome_belongs_to_the_session_around_it(
    client: Client, console: Console, session: str
) -> None:
    with client.session(session, "turn-1"), client.call("outer") as call:
        client.record(ToolExecutionResult(f"c-{session}", "inner", 1, None))
    recorded = outcomes(client, console, session)["inner"]
    assert (recorded["turn_id"], recorded["elapsed_ms"]) == ("turn-1", None)
    status, details = console.ask("GET", f"outcomes/{recorded['call_id']}")
    assert status == 200
    assert details["events"][0].get("parent_call_id", call.call_id) == call.call_id


def test_the_check_of_the_console_judges_a_recorded_output(receiver: Receiver) -> None:
    def below_400(tool: str, result: Any) -> bool:
        return bool(result["status"] < 400)

    with Client(receiver.url, api_key=KEY, success_check=below_400) as client:
        client.record(ToolExecutionResult("c-1", "fetch", {"status": 500}, 1))
        client.record(ToolArtifactReference("c-2", "fetch", "a-1", ""), tool_success=False)
    assert [item["tool_success"] for item in receiver.items] == [False, False]


def test_a_failure_without_a_time_was_not_measured(receiver: Receiver) -> None:
    with Client(receiver.url, api_key=KEY) as client:
        client.record(ToolFailure("c-1", "fetch", "refused"))
    (item,) = receiver.items
    assert "elapsed_ms" not in item


def test_a_number_that_no_console_takes_is_left_out(receiver: Receiver) -> None:
    with Client(receiver.url, api_key=KEY) as client:
        client.record(ToolTimeout("c-1", "fetch", float("inf"), float("nan")))
    (item,) = receiver.items
    assert (item["type"], item["deadline_s"]) == ("timeout", None)
    assert "elapsed_ms" not in item


def test_a_summary_leaves_the_agent_as_an_output_does(receiver: Receiver) -> None:
    outcome = ToolArtifactReference("c-1", "dump", "a-1", "sk-" + "a" * 40 + " and more")
    with Client(receiver.url, api_key=KEY) as client:
        client.record(outcome)
    with Client(receiver.url, api_key=KEY, masking=Masking(outputs=False)) as client:
        client.record(outcome)
    assert [item["summary"] for item in receiver.items] == ["[REDACTED] and more", ""]


def test_recording_never_raises_into_the_agent(receiver: Receiver) -> None:
    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    with Client(receiver.url, api_key=KEY) as client:
        client.record("no outcome")  # type: ignore[arg-type]  # what a mistaken agent gives
        client.record(ToolExecutionResult("c-1", "fetch", Hostile(), 1), arguments={"x": Hostile()})
    (item,) = receiver.items
    assert item["output"] == "[Hostile]"


def test_a_call_says_that_its_arguments_were_repaired(
    client: Client, console: Console, session: str
) -> None:
    with client.call("asked", {"id": 7}, session_id=session) as call:
        call.returned({"rows": []}, was_coerced=True)
    assert outcomes(client, console, session)["asked"]["was_coerced"] is True


def test_a_call_refers_to_an_artifact_of_the_agents_own_store(
    client: Client, console: Console, session: str
) -> None:
    with client.call("dump", session_id=session) as call:
        call.artifact("store/dump-8", summary="8 rows", size_bytes=130_000)
    shown = outcomes(client, console, session)["dump"]
    assert (shown["type"], shown["artifact_id"]) == ("artifact_reference", "store/dump-8")
    assert (shown["summary"], shown["size_bytes"]) == ("8 rows", 130_000)
    assert shown["elapsed_ms"] is not None


@pytest.mark.parametrize(
    ("returned", "kind", "error"),
    [
        ({"error": "no such user"}, "failure", "no such user"),
        ({"error": {"code": 404}}, "failure", '{"code":404}'),
        ({"error": "token sk-" + "a" * 40}, "failure", "token [REDACTED]"),
        ({"error": None, "rows": [1]}, "execution_result", None),
        ({"error": "", "rows": [1]}, "execution_result", None),
        (["error"], "execution_result", None),
    ],
    ids=repr,
)
def test_a_returned_error_is_a_failure_when_its_key_is_named(
    client: Client,
    console: Console,
    session: str,
    returned: Any,
    kind: str,
    error: str | None,
) -> None:
    @client.tool(error_key="error", retryable=False)
    def lookup() -> Any:
        return returned

    with client.session(session):
        assert lookup() == returned
    shown = outcomes(client, console, session)["lookup"]
    assert (shown["type"], shown.get("error")) == (kind, error)
    if kind == "failure":
        assert (shown["retryable"], shown["verdict"]) == (False, "failure")


def test_a_returned_error_is_a_result_when_no_key_or_another_is_named(
    client: Client, console: Console, session: str
) -> None:
    @client.tool
    def plain() -> dict[str, str]:
        return {"error": "no such user"}

    @client.tool(error_key="message")
    def keyed() -> dict[str, str]:
        return {"error": "no such user"}

    with client.session(session):
        plain()
        keyed()
    shown = outcomes(client, console, session)
    assert {one["type"] for one in shown.values()} == {"execution_result"}

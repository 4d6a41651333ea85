"""Guards of edictum 0.19 with the live console: each call gets the facts that SDK events lack."""

import asyncio
from pathlib import Path
from typing import Any

from edictum import Edictum, EdictumDenied, EdictumToolError

from clients.python.tests.receiver import Receiver
from edictum_site_client import Console as Client
from edictum_site_client import Masking
from tests.journeys.console import KEY, Console


def a_guard(client: Client, contract: Path, **options: Any) -> Edictum:
    guard = Edictum.from_yaml(contract, **client.guard_options(), **options)
    assert isinstance(guard, Edictum)
    return guard


def outcomes(console: Console, session: str) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = console.settled(f"outcomes?session={session}&limit=1000")[
        "outcomes"
    ]
    return answer


def the_outcome(client: Client, console: Console, session: str) -> dict[str, Any]:
    assert client.flush(60)
    (outcome,) = outcomes(console, session)
    return outcome


async def attempt(guard: Edictum, *call: Any, session: str) -> Any:
    try:
        return await guard.run(*call, session_id=session)
    except (EdictumDenied, EdictumToolError) as error:
        return error


def run(guard: Edictum, *call: Any, session: str) -> Any:
    return asyncio.run(attempt(guard, *call, session=session))


def test_a_call_brings_its_result_and_its_time(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    guard = a_guard(client, contract)
    run(guard, "lookup", {"id": 7}, lambda id: {"status": 500, "id": id}, session=session)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["output"]) == ("execution_result", {"status": 500, "id": 7})
    assert outcome["elapsed_ms"] is not None
    assert outcome["reported"] == outcome["verdict"] == "success"
    assert (outcome["agent_id"], outcome["tool_args"]) == ("billing-bot", {"id": 7})
    assert outcome["policy_version"] == guard.policy_version


def test_the_sdks_own_events_are_stored_as_well(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    run(a_guard(client, contract), "lookup", {}, lambda: None, session=session)
    outcome = the_outcome(client, console, session)
    assert outcome["output"] is None
    (status, answer) = console.ask("GET", f"outcomes/{outcome['call_id']}")
    assert status == 200
    assert len(answer["events"]) == 3  # allowed, executed, and the outcome


def test_a_tool_that_raises_is_a_failure_with_its_words(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    def refuse() -> None:
        raise ConnectionError("connection refused")

    run(a_guard(client, contract), "lookup", {}, refuse, session=session)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["error"]) == ("failure", "connection refused")
    assert outcome["elapsed_ms"] is not None


def test_a_decorated_tool_that_runs_into_its_deadline_is_a_timeout(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    @client.tool("lookup", deadline_s=0.01, retryable=False)
    async def lookup() -> None:
        await asyncio.wait_for(asyncio.sleep(30), 0.01)

    run(a_guard(client, contract), "lookup", {}, lookup, session=session)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["deadline_s"]) == ("timeout", 0.01)
    assert outcome["retryable"] is False


def test_a_silent_error_stays_a_result_that_the_check_calls_a_failure(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    words = run(a_guard(client, contract), "lookup", {}, lambda: "Error: x", session=session)
    assert isinstance(words, EdictumToolError)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["output"]) == ("execution_result", "Error: x")
    assert outcome["reported"] == "failure"


def test_a_denied_call_brings_nothing_but_its_event(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    guard = a_guard(client, contract)
    words = run(guard, "shell", {"user": "root"}, lambda user: user, session=session)
    assert isinstance(words, EdictumDenied)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["reason"]) == ("denied", "contract")


def test_a_call_that_would_be_denied_ran_and_brings_its_result(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    guard = a_guard(client, contract)
    run(guard, "watched", {"user": "root"}, lambda user: user, session=session)
    outcome = the_outcome(client, console, session)
    assert (outcome["would_deny"], outcome["output"]) == (True, "root")


def test_a_check_of_ones_own_decides_and_one_that_raises_hides_no_result(
    console: Console, contract: Path, session: str
) -> None:
    def strict(tool_name: str, result: Any) -> bool:
        return bool(result["ok"])

    with Client(console.url, api_key=KEY, success_check=strict) as client:
        guard = a_guard(client, contract)
        run(guard, "judged", {}, lambda: {"ok": False}, session=session)
        run(guard, "unjudged", {}, lambda: {"okay": True}, session=session)
        assert client.flush(60)
    fields = {outcome["tool_name"]: outcome for outcome in outcomes(console, session)}
    judged = fields["judged"]
    assert (judged["reported"], judged["verdict"], judged["decided_by"]) == (
        "failure",
        "failure",
        "agent",
    )
    assert judged["metadata"] == {"success_check": {"name": "custom"}}
    assert (fields["unjudged"]["type"], fields["unjudged"]["output"]) == (
        "execution_result",
        {"okay": True},
    )


def test_parallel_calls_of_one_tool_keep_their_results_apart(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    guard = a_guard(client, contract)
    pauses = [number * 37 % 150 / 1_000 for number in range(150)]  # they end in another order

    async def echo(number: int) -> dict[str, int]:
        await asyncio.sleep(pauses[number])
        if number % 3 == 0:
            raise ValueError(f"number {number}")
        return {"number": number}

    async def all_at_once() -> None:
        calls = (
            attempt(guard, "echo", {"number": number}, echo, session=session)
            for number in range(150)
        )
        await asyncio.gather(*calls)

    asyncio.run(all_at_once())
    assert client.flush(60)
    answer = outcomes(console, session)
    assert sorted(outcome["tool_args"]["number"] for outcome in answer) == list(range(150))
    for outcome in answer:
        number = outcome["tool_args"]["number"]
        if number % 3 == 0:
            assert (outcome["type"], outcome["error"]) == ("failure", f"number {number}")
        else:
            assert outcome["output"] == {"number": number}
        assert outcome["elapsed_ms"] >= pauses[number] * 1_000
        assert outcome["conflict"] is False


def test_calls_inside_of_calls_keep_their_own_results(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    guard = a_guard(client, contract)

    async def descend(depth: int) -> str:
        if depth:
            await attempt(guard, "descend", {"depth": depth - 1}, descend, session=session)
        if depth == 2:
            raise ValueError("halfway")
        return f"from {depth}"

    run(guard, "descend", {"depth": 4}, descend, session=session)
    assert client.flush(60)
    fields = {one["tool_args"]["depth"]: one for one in outcomes(console, session)}
    assert fields[2]["error"] == "halfway"
    assert {depth: fields[depth]["output"] for depth in (0, 1, 3, 4)} == {
        depth: f"from {depth}" for depth in (0, 1, 3, 4)
    }


def test_an_output_that_a_rule_objects_to_stays_with_the_agent(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    run(a_guard(client, contract), "people", {}, lambda: "Aurelia", session=session)
    outcome = the_outcome(client, console, session)
    assert outcome["type"] == "execution_result"
    assert "output" not in outcome
    assert outcome["verdict"] == "success"


def test_secrets_leave_neither_in_results_nor_in_arguments_nor_in_errors(
    console: Console, contract: Path, session: str
) -> None:
    secret = "sk-" + "a1" * 20
    masking = Masking(keys=["patient"], texts=[r"\bK\d{9}\b"])

    def fail(patient: str, note: str) -> None:
        raise ValueError(f"{note} and {secret}")

    with Client(console.url, api_key=KEY, masking=masking) as client:
        guard = a_guard(client, contract)
        arguments = {"patient": "P. Atient", "note": "K123456789"}
        run(guard, "fail", arguments, fail, session=session)
        answer = {"patient": "P. Atient", "said": [f"token {secret}", "K123456789"]}
        run(guard, "tell", {}, lambda: answer, session=session)
        assert client.flush(60)
    for outcome in outcomes(console, session):
        status, shown = console.ask("GET", f"outcomes/{outcome['call_id']}")
        assert status == 200
        for words in (secret, "K123456789", "P. Atient"):
            assert words not in str(shown)


def test_a_console_that_is_gone_is_not_noticed(contract: Path, receiver: Receiver) -> None:
    receiver.always = (503, b"busy")
    client = Client(receiver.url, api_key=KEY)
    guard = a_guard(client, contract)
    assert run(guard, "lookup", {}, lambda: 7, session="s") == 7
    assert client.close(timeout=0.2) is False
    assert client.delivery.lost == 3


def test_a_returned_error_is_a_failure_in_the_guard_and_in_the_console(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    @client.tool("lookup", error_key="error")
    def lookup(id: int) -> dict[str, Any]:
        return {"error": "no such user"}

    answer = run(a_guard(client, contract), "lookup", {"id": 7}, lookup, session=session)
    assert isinstance(answer, EdictumToolError)
    outcome = the_outcome(client, console, session)
    assert (outcome["type"], outcome["error"]) == ("failure", "no such user")
    assert (outcome["reported"], outcome["verdict"]) == ("failure", "failure")


def test_an_artifact_of_the_agent_is_named_under_a_guard_too(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    def lookup(id: int) -> str:
        with client.call("lookup") as call:
            call.artifact("store/report-7", "7 rows", 120_000)
        return "kept"

    assert run(a_guard(client, contract), "lookup", {"id": 7}, lookup, session=session) == "kept"
    outcome = the_outcome(client, console, session)
    assert (outcome["artifact_id"], outcome["summary"]) == ("store/report-7", "7 rows")
    assert outcome["size_bytes"] == 120_000


def test_the_check_of_a_guard_with_our_sink_is_named(
    client: Client, console: Console, contract: Path, session: str
) -> None:
    def failed() -> dict[str, bool]:
        return {"is_error": True}

    for check in (lambda tool, result: True, None):
        sink = client.guard_options()["audit_sink"]
        guard = Edictum.from_yaml(contract, audit_sink=sink, success_check=check)
        assert isinstance(guard, Edictum)
        run(guard, "lookup", {}, client.tool("lookup")(failed), session=session)
    assert client.flush(60)
    with_none, with_own = outcomes(console, session)
    assert with_own["metadata"] == {"success_check": {"name": "custom"}}
    assert (with_own["verdict"], with_own["decided_by"]) == ("success", "agent")
    assert (with_none["metadata"], with_none["verdict"]) == (None, "failure")

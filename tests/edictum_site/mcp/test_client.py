"""The official client against a running console, on both databases."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from typing import Any, Literal

import pytest
from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.governance.casing import TEXT
from tests.journeys.console import KEY, VARIABLES, Console, a_session

Era = Literal["auto", "legacy"]


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="module")
def console(store: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    with running(tmp_path_factory.mktemp("mcp"), VARIABLES | store) as product:
        yield Console(product, store["DATABASE_URL"])


async def _used(
    console: Console, mode: Era, key: str, use: list[tuple[str, dict[str, Any]]]
) -> tuple[set[str], list[Any]]:
    headers = {"Authorization": f"Bearer {key}"}
    async with AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{console.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            results = [await client.call_tool(name, given) for name, given in use]
            return names, results


def used(console: Console, mode: Era, key: str, *use: tuple[str, dict[str, Any]]) -> Any:
    work: Coroutine[Any, Any, Any] = _used(console, mode, key, list(use))
    return asyncio.run(work)


def result_of(result: Any) -> Any:
    assert not result.is_error, result
    return json.loads(result.content[0].text)["result"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_can_read_save_drafts_and_request_deployments(
    console: Console, mode: Era
) -> None:
    session = a_session()
    item = {"type": "failure", "tool_name": "pay", "session_id": session, "error": "down"}
    console.post({**item, "call_id": f"c-of-{session}"})
    console.settled(f"outcomes?session={session}")
    env = f"env-{mode}"
    required = json.dumps({"second_person": True}).encode()
    assert console.ask("PUT", f"environments/{env}/requirements", required)[0] == 200
    names, results = used(
        console,
        mode,
        KEY,
        ("list_calls", {"session": session}),
        ("get_session", {"session_id": session}),
        ("save_contract_version", {"yaml": f"{TEXT}# {mode}\n"}),
        ("explain_call", {"name": "d", "tool_name": "refund", "tool_args": {"amount": 75}}),
        ("list_alerts", {}),
    )
    assert "request_deployment" in names
    calls, one, saved, explained, alerts = map(result_of, results)
    assert [each["error"] for each in calls["outcomes"]] == ["down"]
    assert one["counts"]["attempts"] == 1
    assert explained["action"] == "block"
    assert "alerts" in alerts
    request = {"name": "d", "version": saved["version"], "env": env}
    _, (requested,) = used(console, mode, KEY, ("request_deployment", request))
    assert result_of(requested)["status"] == "pending"
    assert console.ask("GET", "contracts/d")[1]["deployments"] == []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_read_key_has_no_write_tools(console: Console, mode: Era) -> None:
    body = json.dumps({"name": "reads", "env": "production", "scopes": ["read"]}).encode()
    key = console.ask("POST", "keys", body)[1]["key"]
    names, (refused,) = used(console, mode, key, ("save_contract_version", {"yaml": TEXT}))
    assert "list_sessions" in names
    assert not names & {"save_contract_version", "request_deployment", "backtest_contract"}
    assert refused.is_error


def test_concurrent_assistants_do_not_block_agents(console: Console) -> None:
    """One key has one slot; its other requests wait for it."""

    async def together() -> list[tuple[set[str], list[Any]]]:
        lists = [_used(console, "legacy", KEY, [("list_sessions", {})]) for _ in range(4)]
        return list(await asyncio.gather(*lists))

    for _, (result,) in asyncio.run(together()):
        assert "sessions" in result_of(result)
    console.post({"type": "execution_result", "call_id": a_session(), "tool_name": "pay"})

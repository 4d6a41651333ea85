"""A named check works with every SDK factory, as an exported module and through the client."""

import asyncio
import importlib.util
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from edictum import Edictum, EdictumToolError
from edictum.audit import AuditAction, CollectingAuditSink

from clients.python.tests.checks_server import STATUS_400
from edictum_site_client import CheckUnavailable
from edictum_site_client import Console as Client
from tests.journeys.console import KEY, Console

HELD = {"status": 200}
BROKEN = {"status": 503}  # a success for the SDK itself

Options = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def saved(console: Console) -> None:
    body = json.dumps({"yaml": STATUS_400}).encode()
    status, answer = console.ask("PUT", "success-checks/unified", body)
    assert status in (200, 201), answer


@pytest.fixture(params=["exported", "named"])
def options(
    request: pytest.FixtureRequest, client: Client, console: Console, tmp_path: Path
) -> Iterator[Options]:
    if request.param == "named":
        yield dict(client.guard_options("unified"))
        return
    yield {"success_check": exported(console, tmp_path).success_check}


def exported(console: Console, folder: Path) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the console of this test
        f"{console.url}/v1/success-checks/unified.py", headers={"Authorization": f"Bearer {KEY}"}
    )
    file = folder / "unified.py"
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - as above
        file.write_bytes(answer.read())
    spec = importlib.util.spec_from_file_location("unified", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def failed(guard: Edictum, result: Any) -> bool:
    async def ask() -> bool:
        try:
            assert await guard.run("lookup", {}, lambda: result) == result
        except EdictumToolError:
            return True
        return False

    return asyncio.run(ask())


def assert_judged_by_check(guard: Any) -> None:
    assert isinstance(guard, Edictum)
    assert failed(guard, BROKEN)
    assert failed(guard, "Traceback (most recent call last)")
    assert not failed(guard, HELD)


def test_the_constructor_takes_it(options: Options) -> None:
    assert_judged_by_check(Edictum(**options))


def test_from_yaml_takes_it(options: Options, contract: Path) -> None:
    assert_judged_by_check(Edictum.from_yaml(contract, **options))


def test_from_yaml_string_takes_it(options: Options, contract: Path) -> None:
    assert_judged_by_check(Edictum.from_yaml_string(contract.read_text(), **options))


def test_from_template_takes_it(options: Options) -> None:
    assert_judged_by_check(Edictum.from_template("research-agent", **options))


def test_of_several_guards_the_check_of_the_first_wins(options: Options, contract: Path) -> None:
    with_it = Edictum.from_yaml(contract, **options)
    other = Edictum.from_yaml(contract, success_check=lambda tool, result: result != HELD)
    without = Edictum.from_yaml(contract)
    guards = [guard for guard in (with_it, other, without) if isinstance(guard, Edictum)]
    assert len(guards) == 3
    assert_judged_by_check(Edictum.from_multiple(guards))
    turned = Edictum.from_multiple(guards[::-1])
    assert not failed(turned, BROKEN)
    assert failed(Edictum.from_multiple([guards[1], guards[0]]), HELD)


def test_from_server_takes_it(options: Options, console: Console, deployed: str) -> None:
    async def ask() -> list[str]:
        guard = await Edictum.from_server(
            console.url, KEY, "billing-bot", bundle_name=deployed, **options
        )
        listed = []
        try:
            for result in (HELD, BROKEN):
                try:
                    listed.append(str(await guard.run("lookup", {}, lambda result=result: result)))
                except EdictumToolError:
                    listed.append("failed")
        finally:
            await guard.close()
        return listed

    assert asyncio.run(ask()) == [str(HELD), "failed"]


def test_what_run_reports_is_what_the_check_says(options: Options) -> None:
    sink = CollectingAuditSink()
    guard = Edictum(success_check=options["success_check"], audit_sink=sink)
    for result in (HELD, BROKEN):
        failed(guard, result)
    executed = [
        (event.action, event.tool_success)
        for event in sink.events
        if event.action in (AuditAction.CALL_EXECUTED, AuditAction.CALL_FAILED)
    ]
    assert executed == [(AuditAction.CALL_EXECUTED, True), (AuditAction.CALL_FAILED, False)]


def test_the_console_learns_which_version_an_agent_used(
    client: Client, console: Console, session: str
) -> None:
    guard = Edictum(**client.guard_options("unified"))

    async def ask() -> None:
        with pytest.raises(EdictumToolError):
            await guard.run("lookup", {}, lambda: BROKEN, session_id=session)

    asyncio.run(ask())
    client.success_check = client.check("unified")
    with client.session(session), client.call("beside", {}) as call:
        call.returned(BROKEN)
    assert client.flush(60)
    answer = console.settled(f"outcomes?session={session}")["outcomes"]
    assert [one["reported"] for one in answer] == ["failure", "failure"]
    version = client.check("unified").version
    for one in answer:
        _, outcome = console.ask("GET", f"outcomes/{one['call_id']}")
        assert outcome["metadata"] == {"success_check": {"name": "unified", "version": version}}


@pytest.mark.parametrize("name", ["default", "http"])
def test_what_the_console_brings_is_there_for_agents_too(client: Client, name: str) -> None:
    check = client.check(name)
    assert check.name == name
    assert check("lookup", {"status": 200})
    assert not check("lookup", "Error: no such table")


def test_an_unknown_check_raises_at_once(client: Client) -> None:
    with pytest.raises(CheckUnavailable, match="HTTP 404"):
        client.guard_options("nowhere")

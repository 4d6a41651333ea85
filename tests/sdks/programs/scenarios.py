"""Scenarios of an agent on this interpreter's unmodified edictum.

Each scenario prints one line of JSON with its name and its observations, or the error that ended
it. Scenarios run concurrently, with separate guards and agent names, so that the console can tell
them apart.
"""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import traceback
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import edictum
from edictum import Edictum, EdictumConfigError, EdictumDenied, EdictumToolError

from tests.sdks.programs import extras
from tests.sdks.programs.around import Operator, a_line, all_sent, until

VERSION = sys.argv[1]
URL, KEY = os.environ["CONSOLE_URL"], os.environ["AGENT_KEY"]
PUBLIC_KEY = os.environ["PUBLIC_KEY"]
operator = Operator(URL, os.environ["OPERATOR_KEY"])
known = [int(part) for part in VERSION.split(".")]
Facts = dict[str, Any]
SCENARIOS: dict[str, Callable[[str], Awaitable[Facts]]] = {}


def scenario(run: Callable[[str], Awaitable[Facts]]) -> Callable[[str], Awaitable[Facts]]:
    SCENARIOS[run.__name__] = run
    return run


def since(minor: int) -> Callable[..., Any]:
    return scenario if known[1] >= minor else lambda run: run


@contextlib.asynccontextmanager
async def a_guard(agent: str, bundle: str | None = "sdks", **how: Any) -> AsyncIterator[Any]:
    if bundle:
        how["bundle_name"] = bundle
    guard = await Edictum.from_server(how.pop("url", URL), KEY, agent, **how)
    try:
        yield guard
        await all_sent(guard)
    finally:
        await guard.close()


async def attempt(guard: Any, tool: str, args: Facts, run: Any = None, **how: Any) -> str:
    """Result of a call as text."""
    try:
        result = await guard.run(tool, args, run or (lambda **_: "ran"), **how)
    except EdictumDenied as denied:
        return f"denied: {denied.reason}"
    except EdictumToolError as error:
        return f"failed: {error}"
    return str(result)


@scenario
async def from_server(agent: str) -> Facts:
    async with a_guard(agent) as guard:
        return {"policy_version": guard.policy_version}


@scenario
async def allowed(agent: str) -> Facts:
    async with a_guard(agent) as guard:
        words = await attempt(guard, "lookup", {"id": 7}, lambda id: {"id": id})
        return {"said": words, "policy_version": guard.policy_version}


@scenario
async def failed(agent: str) -> Facts:
    async def refuse(id: int) -> None:
        raise ConnectionError("connection refused")

    async with a_guard(agent) as guard:
        return {"said": await attempt(guard, "lookup", {"id": 7}, refuse)}


@scenario
async def denied(agent: str) -> Facts:
    ran: list[str] = []
    async with a_guard(agent) as guard:
        words = await attempt(guard, "shell", {"user": "root"}, lambda user: ran.append(user))
    return {"said": words, "ran": ran}


@scenario
async def observed(agent: str) -> Facts:
    async with a_guard(agent) as guard:
        return {"said": await attempt(guard, "watched", {"user": "root"})}


@scenario
async def custom_success_check(agent: str) -> Facts:
    listed: list[str] = []

    def check(tool_name: str, result: Any) -> bool:
        listed.append(tool_name)
        return bool(result["ok"])

    async with a_guard(agent, success_check=check) as guard:
        good = await attempt(guard, "good", {}, lambda: {"ok": True})
        bad = await attempt(guard, "bad", {}, lambda: {"ok": False})
    return {"good": good, "bad": bad, "asked": listed}


@scenario
async def shared_session_limit(agent: str) -> Facts:
    session = f"shared-{uuid.uuid4()}"
    async with a_guard(agent, "sdks-limited") as one, a_guard(agent, "sdks-limited") as other:
        listed = [
            await attempt(guard, "lookup", {"number": number}, session_id=session)
            for number, guard in enumerate([one, other, one, other, one])
        ]
        elsewhere = await attempt(one, "lookup", {"number": 9}, session_id=f"{session}-2")
    return {"said": listed, "elsewhere": elsewhere, "session": session}


@scenario
async def approved(agent: str) -> Facts:
    return await _decided(agent, "approve")


@scenario
async def rejected(agent: str) -> Facts:
    return await _decided(agent, "reject")


async def _decided(agent: str, decision: str) -> Facts:
    async with a_guard(agent) as guard:
        charging = asyncio.create_task(attempt(guard, "charge", {"amount": 1240}))
        await operator.decide(agent, decision, "seen by phone")
        return {"said": await charging}


@scenario
async def timed_out(agent: str) -> Facts:
    async with a_guard(agent) as guard:
        return {"said": await attempt(guard, "charge_soon", {"amount": 1240})}


@scenario
async def timed_out_and_allowed(agent: str) -> Facts:
    async with a_guard(agent) as guard:
        return {"said": await attempt(guard, "charge_anyway", {"amount": 1240})}


RELOADED = """
apiVersion: edictum/v1
kind: Ruleset
metadata: {{name: {name}}}
defaults: {{mode: enforce}}
rules:
  - id: not-now
    type: pre
    tool: {tool}
    when: {{tool.name: {{exists: true}}}}
    then: {{action: block, message: not now}}
"""


@scenario
async def hot_reload(agent: str) -> Facts:
    return await _reloaded(agent)


async def _reloaded(agent: str, **how: Any) -> Facts:
    name = f"reloaded-{uuid.uuid4().hex[:12]}"
    await operator.deploy(RELOADED.format(name=name, tool="other"))
    async with a_guard(agent, name, **how) as guard:
        first, before = guard.policy_version, await attempt(guard, "lookup", {})
        await operator.deploy(RELOADED.format(name=name, tool="lookup"))
        updated = await until(lambda: guard.policy_version != first)
        after = await attempt(guard, "lookup", {})
        return {
            "taken": updated,
            "before": before,
            "after": after,
            "versions": [first, guard.policy_version],
            "bundle": name,
        }


@since(13)
async def server_assigned(agent: str) -> Facts:
    await operator.assign("sdks", agent)
    async with a_guard(agent, None, tags={"team": "pay"}) as guard:
        first, before = guard.policy_version, await attempt(guard, "shell", {"user": "root"})
        await operator.assign("sdks-strict", agent, tags={"team": "pay"})
        updated = await until(lambda: guard.policy_version != first)
        after = await attempt(guard, "shell", {"user": "root"})
    return {"taken": updated, "before": before, "after": after}


@since(16)
async def signatures(agent: str) -> Facts:
    verifying: Facts = {"verify_signatures": True, "signing_public_key": PUBLIC_KEY}
    reloaded = await _reloaded(agent, **verifying)
    try:
        async with a_guard(agent, **verifying | {"signing_public_key": "1" * 64}):
            wrong = "trusted"
    except EdictumConfigError as error:
        wrong = str(error)
    return {**reloaded, "wrong": wrong}


@scenario
async def server_down(agent: str) -> Facts:
    ran: list[int] = []

    def find(id: int) -> str:
        ran.append(id)
        return "ran"

    async def lookup(guard: Any, number: int) -> str:
        try:
            return await attempt(guard, "lookup", {"id": number}, find)
        except Exception as error:  # noqa: BLE001 - each version has its own word for it
            return f"raised: {type(error).__name__}"

    async with a_line(URL) as line, a_guard(agent, url=line.url) as guard:
        listed = [await lookup(guard, 1)]
        await line.cut()
        listed.append(await lookup(guard, 2))
        try:
            async with a_guard(agent, url=line.url):
                start = "started"
        except EdictumConfigError:
            start = "refused to start"
        await line.mend()
        listed.append(await lookup(guard, 3))
    return {"said": listed, "start": start, "ran": ran}


async def gate(agent: str) -> Facts:
    with tempfile.TemporaryDirectory() as folder:
        sent = await asyncio.to_thread(extras.gate_sends, URL, KEY, agent, Path(folder))
    return {"sent": sent}


if 15 <= known[1] <= 18:
    scenario(gate)


@since(16)
async def skill_scan(_: str) -> Facts:
    with tempfile.TemporaryDirectory() as folder:
        updated, words = await asyncio.to_thread(extras.skills_scanned, URL, KEY, Path(folder))
    return {"taken": updated, "said": words}


async def run(name: str) -> None:
    fields: Facts = {"scenario": name}
    try:
        fields["facts"] = await SCENARIOS[name](f"{name}-{VERSION}")
    except BaseException:  # noqa: BLE001 - the test that asks for this scenario tells it
        fields["error"] = traceback.format_exc()
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


async def main() -> None:
    assert edictum.__version__ == VERSION
    await asyncio.gather(*map(run, SCENARIOS))


asyncio.run(main())

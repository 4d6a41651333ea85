"""Shared parts of the programs for adapters: their guards and the words of their tools.

Each program works three times with its framework: with edictum alone, with our client as well,
and as `docs/adapters.md` advises; then, as it is and as advised, without a console. It ends with
one line of JSON: for each time, what the framework made of every tool call, and what ran."""

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from edictum import Edictum
from edictum_site_client import Console

from tests.sdks.programs.around import a_line, all_sent

URL, KEY = os.environ["CONSOLE_URL"], os.environ["AGENT_KEY"]
NAME = sys.argv[1]
CUSTOMER = {"id": 7, "name": "Ada"}
REFUSED = "connection refused"
# What every model here wants, in this order: the contract denies the last.
TOOL_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("lookup", {"id": 7}),
    ("breaks", {"id": 8}),
    ("complains", {"id": 9}),
    ("shell", {"user": "root"}),
]
# Of frameworks in which a result says a failure in another way than `complains` does.
REPORTS: tuple[str, dict[str, Any]] = ("reports", {"id": 10})
Seen = dict[str, Any]
Check = Callable[[str, Any], bool]
ran: list[str] = []
outside: list[str] = []


class Work(Protocol):
    async def __call__(self, guard: Any, session: str, *, advised: bool) -> Seen: ...


def lookup_result(tool: str = "lookup") -> dict[str, Any]:
    ran.append(tool)
    return CUSTOMER


def breaks() -> Any:
    ran.append("breaks")
    raise ConnectionError(REFUSED)


async def each_alone(one: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> Seen:
    """For frameworks in which one exception ends the whole conversation."""
    seen: Seen = {}
    for name, args in TOOL_CALLS:
        try:
            seen[name] = await one(name, args)
        except ConnectionError as error:
            seen[name] = f"the run ended: {error}"
    return seen


def run(work: Work, success_check: Check | None = None) -> None:
    _stay_inside()
    try:
        answer = asyncio.run(_all_ways(work, success_check))
    except Exception:  # noqa: BLE001 - whatever a framework raises, the test is to say it
        answer = {"error": traceback.format_exc()}
    sys.stdout.write("\n" + json.dumps(answer | {"outside": sorted(set(outside))}) + "\n")


async def _all_ways(work: Work, success_check: Check | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "alone": await _one_way(work, "alone", None),
        "client": await _one_way(work, "client", None),
        "advised": await _one_way(work, "advised", success_check),
    }
    del TOOL_CALLS[1:]  # what succeeds is enough to see whether anything runs
    fields["down"] = await _cut_off(work, advised=False)
    fields["down, advised"] = await _cut_off(work, advised=True)
    return fields


async def _one_way(work: Work, way: str, success_check: Check | None) -> dict[str, Any]:
    agent = f"{NAME}-{way}"
    session = f"{agent}-session"
    client = Console(URL, api_key=KEY, agent_id=agent, success_check=success_check)
    options: dict[str, Any] = {} if way == "alone" else {**client.guard_options()}
    guard: Any = await Edictum.from_server(URL, KEY, agent, bundle_name="sdks", **options)
    ran.clear()
    try:
        seen = await work(guard, session, advised=way == "advised")
        await all_sent(guard)
    finally:
        await guard.close()
        await client.aclose()
    fields = {"agent": agent, "session": session, "policy_version": guard.policy_version}
    return fields | {"seen": seen, "ran": list(ran)}


async def _cut_off(work: Work, *, advised: bool) -> dict[str, Any]:
    agent = f"{NAME}-down"
    async with a_line(URL) as line:
        guard: Any = await Edictum.from_server(line.url, KEY, agent, bundle_name="sdks")
        ran.clear()
        await line.cut()
        try:
            seen = await work(guard, agent, advised=advised)
        except Exception as error:  # noqa: BLE001 - as frameworks let it through, or wrap it
            seen = {"lookup": f"the run ended: {error!r}"}
        ran_then = list(ran)
        await guard.close()
    return {"seen": seen, "ran": ran_then}


def _stay_inside() -> None:
    """Whatever a framework has to tell the world finds no network, and is written down."""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        match event, args:
            case "socket.getaddrinfo", (host, *_):
                pass
            case (("socket.connect" | "socket.sendto"), (_, (host, *_))):
                pass
            case _:
                return
        name = host.decode() if isinstance(host, bytes) else str(host or "")
        if name not in ("", "localhost", "127.0.0.1", "::1"):
            outside.append(name)
            raise ConnectionRefusedError(f"{name} is not this machine")

    sys.addaudithook(refuse)

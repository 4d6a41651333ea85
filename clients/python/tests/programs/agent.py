"""An agent on this interpreter's edictum, with concurrent calls that return, fail or are denied."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

from edictum import Edictum, EdictumDenied, EdictumToolError

from edictum_site_client import Console

URL, KEY, SESSION, CONTRACT = sys.argv[1:]
console = Console(URL, api_key=KEY, agent_id="billing-bot")
guard: Any = Edictum.from_yaml(Path(CONTRACT), **console.guard_options())


async def echo(number: int) -> dict[str, int]:
    await asyncio.sleep(number * 7 % 40 / 1_000)
    if number % 4 == 1:
        raise ConnectionError(f"number {number}")
    return {"number": number}


@console.tool("wait", deadline_s=0.01)
async def wait(number: int) -> None:
    await asyncio.wait_for(asyncio.sleep(30), 0.01)


async def attempt(*call: Any) -> None:
    with contextlib.suppress(EdictumDenied, EdictumToolError):
        await guard.run(*call, session_id=SESSION)


async def main() -> None:
    await asyncio.gather(*(attempt("echo", {"number": one}, echo) for one in range(40)))
    await attempt("wait", {"number": 100}, wait)
    await attempt("say", {"number": 101}, lambda number: "Error: no such table")
    await attempt("shell", {"number": 102, "user": "root"}, lambda number, user: None)
    await guard.close()
    assert console.delivery.waiting == 0


asyncio.run(main())

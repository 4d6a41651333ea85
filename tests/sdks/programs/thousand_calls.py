"""A busy agent: a thousand governed calls, many concurrently, over a connection that is cut several
times and drops every other response to a batch of events, so that batches are sent again.

It ends with one line of JSON: the result of each call, and every event that its guard created.
"""

import asyncio
import json
import os
import sys
from typing import Any

from edictum import Edictum, EdictumDenied, EdictumToolError

from tests.sdks.programs.around import Line, a_line, all_sent

URL, KEY = os.environ["CONSOLE_URL"], os.environ["AGENT_KEY"]
AGENT, SESSION = sys.argv[1:]
CALLS, AT_ONCE, OF_A_SESSION = 1_000, 12, 25
CUTS = (200, 450, 700)  # numbers of calls after which the connection is cut


def returns(number: int) -> dict[str, int]:
    return {"number": number}


async def returns_later(number: int) -> list[int]:
    await asyncio.sleep(number % 7 / 1_000)
    return [number]


def says_error(number: int) -> str:
    return f"Error: {number}"


async def raises(number: int) -> None:
    raise ConnectionError(str(number))


TOOLS: list[tuple[str, Any]] = [
    ("lookup", returns),
    ("lookup", returns_later),
    ("lookup", says_error),
    ("lookup", raises),
    ("shell", returns),
    ("watched", returns),
]


async def attempt(guard: Any, number: int) -> str:
    tool, run = TOOLS[number % len(TOOLS)]

    def called(number: int, user: str) -> Any:
        return run(number)

    args = {"number": number, "user": "root"}
    try:
        await guard.run(tool, args, called, session_id=f"{SESSION}-{number // OF_A_SESSION}")
    except EdictumDenied:
        return "denied"
    except EdictumToolError:
        return "failure"
    return "success"


async def work(guard: Any, line: Line) -> list[str]:
    ended: dict[int, str] = {}
    left = iter(range(CALLS))

    async def one_after_the_other() -> None:
        for number in left:
            ended[number] = await attempt(guard, number)
            if len(ended) in CUTS:
                await line.cut()
                await line.mend()

    await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
    return [ended[number] for number in range(CALLS)]


async def main() -> None:
    async with a_line(URL, losing=b"POST /v1/events ") as line:
        guard: Any = await Edictum.from_server(line.url, KEY, AGENT, bundle_name="sdks")
        ended = await work(guard, line)
        await all_sent(guard)
        made = [
            [event.call_id, event.action.value, event.tool_args["number"]]
            for event in guard.local_sink.events
        ]
        await guard.close()
    sys.stdout.write(json.dumps({"ended": ended, "events": made, "lost": line.lost}) + "\n")


asyncio.run(main())

"""An agent that holds a stream open, calls a tool for each line of standard input and prints the
result. It ends at the end of standard input."""

import asyncio
import os
import sys

from edictum import Edictum, EdictumDenied


async def called(guard: Edictum, tool: str, command: str) -> str:
    try:
        return str(await guard.run(tool, {"command": command}, lambda command: "ran"))
    except EdictumDenied as denied:
        return f"denied: {denied.reason}"


async def main() -> None:
    guard = await Edictum.from_server(
        os.environ["CONSOLE_URL"],
        os.environ["CONSOLE_KEY"],
        os.environ["AGENT"],
        env=os.environ["ENVIRONMENT"],
        bundle_name=os.environ["BUNDLE"],
    )
    while line := await asyncio.to_thread(sys.stdin.readline):
        tool, _, command = line.strip().partition(" ")
        answer = await called(guard, tool, command)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    await guard.close()


asyncio.run(main())

"""An agent that watches its contract (or its assignment, if it names none) and prints the reason
why a call is denied whenever that changes.

It ends at the end of standard input.
"""

import asyncio
import os
import sys

from edictum import Edictum, EdictumDenied


async def why(guard: Edictum) -> str:
    try:
        await guard.run("shell", {"command": "rm -r /"}, lambda command: "ran")
    except EdictumDenied as denied:
        return str(denied.reason)
    return "not denied"


async def main() -> None:
    guard = await Edictum.from_server(
        os.environ["CONSOLE_URL"],
        os.environ["CONSOLE_KEY"],
        os.environ["AGENT"],
        env="production",
        bundle_name=os.environ.get("BUNDLE"),
    )
    over = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    words = ""
    while not over.done():
        reason = await why(guard)
        if reason != words:
            words = reason
            sys.stdout.write(f"{reason}\n")
            sys.stdout.flush()
        await asyncio.sleep(0.05)
    await guard.close()


asyncio.run(main())

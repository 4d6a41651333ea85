"""An agent that verifies signatures of contracts, controlled through standard input.

Each input line is a contract name, a public key and a tool; each response is one line of JSON.
"""

import asyncio
import json
import os
import sys
from typing import Any

from edictum import Edictum, EdictumConfigError, EdictumDenied


async def start(bundle: str, key: str) -> Edictum:
    # Versions before 0.16 don't support signatures.
    verifying: Any = {"verify_signatures": True, "signing_public_key": key} if key else {}
    return await Edictum.from_server(
        os.environ["CONSOLE_URL"],
        os.environ["CONSOLE_KEY"],
        "verifier",
        env="production",
        bundle_name=bundle,
        auto_watch=False,
        **verifying,
    )


async def answer(bundle: str, key: str, tool: str) -> dict[str, object]:
    try:
        guard = await start(bundle, key)
    except EdictumConfigError as error:
        return {"refused": str(error)}
    try:
        result = await guard.run(tool, {}, lambda: "ran")
    except EdictumDenied as denied:
        result = f"denied: {denied.reason}"
    finally:
        await guard.close()
    return {"result": result, "policy_version": guard.policy_version}


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asyncio.run(answer(**json.loads(line)))) + "\n")
        sys.stdout.flush()


main()

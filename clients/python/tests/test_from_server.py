"""A guard that loads its contract from the console, set up as in the README."""

import asyncio

import pytest
from edictum import Edictum, EdictumDenied, EdictumToolError

from edictum_site_client import Console as Client
from tests.journeys.console import KEY, Console


def test_what_became_of_each_call_is_known_once_the_guard_is_closed(
    client: Client, console: Console, deployed: str, session: str
) -> None:
    async def refuse(number: int) -> None:
        raise ConnectionError("connection refused")

    async def work() -> None:
        guard = await Edictum.from_server(
            client.url, KEY, "billing-bot", bundle_name=deployed, **client.guard_options()
        )
        try:
            await guard.run("lookup", {"number": 1}, lambda number: [number], session_id=session)
            with pytest.raises(EdictumToolError):
                await guard.run("lookup", {"number": 2}, refuse, session_id=session)
            with pytest.raises(EdictumDenied):
                await guard.run("shell", {"user": "root"}, print, session_id=session)
        finally:
            await guard.close()

    asyncio.run(work())
    answer = console.settled(f"outcomes?session={session}")["outcomes"]
    denied, failed, returned = answer
    assert (returned["output"], returned["verdict"]) == ([1], "success")
    assert (failed["type"], failed["error"]) == ("failure", "connection refused")
    assert (denied["type"], denied["reason"]) == ("denied", "contract")
    assert failed["elapsed_ms"] is not None
    assert returned["policy_version"] == failed["policy_version"] == denied["policy_version"]

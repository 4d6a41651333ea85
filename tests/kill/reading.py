"""HTTP API reads of a drill, with an API key."""

import http.client
import json
import time
from typing import Any

from tests.kill.posting import Broken

TO_SETTLE = 300.0
Address = tuple[str, int]


def shown_calls(address: Address, key: str) -> list[dict[str, Any]]:
    """All calls listed by the API."""
    calls: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = get(address, f"outcomes?limit=1000&cursor={cursor}", key)
        calls += page["outcomes"]
        cursor = page["next"]
    return calls


def wait_until_settled(address: Address, key: str) -> None:
    until = time.monotonic() + TO_SETTLE
    while not get(address, "outcomes?limit=1&wait=20", key)["settled"]:
        if time.monotonic() > until:
            raise Broken("what was acknowledged is not settled")


def get(address: Address, path: str, key: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection(*address, timeout=60)
    try:
        connection.request("GET", f"/v1/{path}", headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise Broken(f"{path}: {answer.status}: {content[:500]!r}")
    values: dict[str, Any] = json.loads(content)
    return values

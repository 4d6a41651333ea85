"""An agent in a test: posts over HTTP, has the inbox processed, and reads over HTTP."""

import json
from collections.abc import Sequence
from typing import Any

from django.test import Client

from outcomes.settling.decode import Ahead
from outcomes.settling.settle import settle_inbox


class Agent:
    def __init__(self, client: Client, prefix: str = "/v1") -> None:
        self.client = client
        self.prefix = prefix

    def send(self, path: str, body: bytes, **headers: str) -> Any:
        """Post bytes unchanged and return the response."""
        return self.client.post(
            f"{self.prefix}/{path}", body, content_type="application/json", headers=headers
        )

    def post(self, *items: Any, to: str = "outcomes") -> dict[str, Any]:
        """Post items, process the inbox, and return the body of the response."""
        answered = self.door(json.dumps({to: items}).encode(), to=to)
        settle()
        return answered

    def post_events(self, *items: Any) -> dict[str, Any]:
        return self.post(*items, to="events")

    def door(self, body: bytes, to: str = "outcomes", **headers: str) -> dict[str, Any]:
        response = self.send(to, body, **headers)
        assert response.status_code == 202, response.content
        answered: dict[str, Any] = response.json()
        return answered

    def door_of_raw(self, *items: bytes, to: str = "outcomes") -> dict[str, Any]:
        """Post items as raw bytes."""
        return self.door(b'{"%s": [%s]}' % (to.encode(), b",".join(items)), to=to)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        response = self.client.get(f"{self.prefix}/{path}", query)
        assert response.status_code == 200, response.content
        body: dict[str, Any] = response.json()
        return body

    def outcome(self, call_id: str, **query: Any) -> dict[str, Any]:
        return self.get(f"outcomes/{call_id}", **query)

    def outcomes(self, **query: Any) -> list[dict[str, Any]]:
        """Calls of all pages of the list."""
        listed: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self.get("outcomes", **query, **({"cursor": cursor} if cursor else {}))
            listed += page["outcomes"]
            cursor = page["next"]
            if cursor is None:
                return listed

    def session(self, session_id: str) -> dict[str, Any]:
        return self.get(f"agent-sessions/{session_id}")


def settle() -> None:
    with Ahead() as ahead:
        while settle_inbox(ahead):
            pass


def codes(answered: dict[str, Any]) -> Sequence[tuple[int, str]]:
    return [(each["index"], each["code"]) for each in answered["rejected"]]

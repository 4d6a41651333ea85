"""A running console as its users access it: over HTTP with a key, and in a browser. No ORM here.

While a browser is driven an event loop runs in this thread, and every query would be refused.
"""

import http.client
import json
import time
import uuid
from typing import Any

from edictum_site.stack.running import Product

EMAIL, PASSWORD = "admin@example.test", "a-quiet-river-9"
KEY = "edk_production_" + "jOur" * 10
# Milliseconds for low-priority work of the product on a busy machine.
BEHIND = 150_000
VARIABLES = {
    "EDICTUM_SITE_ADMIN_EMAIL": EMAIL,
    "EDICTUM_SITE_ADMIN_PASSWORD": PASSWORD,
    "EDICTUM_SITE_BOOTSTRAP_KEY": KEY,
}


class Console:
    def __init__(self, product: Product, database: str) -> None:
        self.product = product
        self.database = database  # a URL, or empty: the file in the data folder
        self.url = product.url

    def ask(
        self, method: str, path: str, body: bytes | None = None, key: str = KEY, agent: str = ""
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=120)
        try:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            headers |= {"X-Edictum-Agent-Id": agent} if agent else {}
            connection.request(method, f"/v1/{path}", body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    def post(self, *items: dict[str, Any], to: str = "outcomes", key: str = KEY) -> dict[str, Any]:
        status, answer = self.ask("POST", to, json.dumps({to: items}).encode(), key)
        assert status == 202, answer
        answered: dict[str, Any] = answer
        return answered

    def indexed(self, query: str, calls: int) -> None:
        """Wait until a search finds this many calls, as indexing proceeds in small steps."""
        until = time.monotonic() + BEHIND / 1_000
        while len(self.ask("GET", f"outcomes?q={query}&limit=1000")[1]["outcomes"]) < calls:
            assert time.monotonic() < until, "the index does not come to it"
            time.sleep(0.2)

    def settled(self, path: str) -> Any:
        """Response that includes everything acknowledged before."""
        until = time.monotonic() + BEHIND / 1_000
        while True:
            status, answer = self.ask("GET", f"{path}{'&' if '?' in path else '?'}wait=20")
            if (status, answer.get("settled")) == (200, True):
                return answer
            assert time.monotonic() < until, answer
            time.sleep(0.1)


def a_session() -> str:
    return f"session-{uuid.uuid4()}"

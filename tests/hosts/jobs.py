"""Reclassifications and backtests during a drill, one of each at a time."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tests.governance.contracts.documents import document, pre
from tests.journeys.console import KEY

RULES: Final = document(pre("{args.number: {equals: 7}}", rule_id="no-seven"))
BODIES: Final = {
    "contracts/backtests": {"yaml": RULES},
    "reclassifications": {},
}
LIVE: Final = ("queued", "running")
PAUSE: Final = 0.5  # seconds
TO_END: Final = 240.0


class Jobs:
    """Thread that keeps starting jobs through any web process that responds."""

    def __init__(self, address: Callable[[], tuple[str, int]]) -> None:
        self._address = address
        self._stopped = threading.Event()
        self._running: dict[str, int] = {}
        self.ended: Counter[tuple[str, str]] = Counter()  # by kind and status
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """Stop starting jobs and wait for the running ones."""
        self._stopped.set()
        self._thread.join(TO_END)
        until = time.monotonic() + TO_END
        while self._running and time.monotonic() < until:
            for kind in list(self._running):
                self._check(kind)
            time.sleep(PAUSE)
        for kind in self._running:
            self.ended[kind, "unfinished"] += 1

    def problems(self) -> list[str]:
        bad = {key: count for key, count in self.ended.items() if key[1] != "done"}
        missing = [kind for kind in BODIES if not self.ended[kind, "done"]]
        return [f"{kind}: {count} {status}" for (kind, status), count in bad.items()] + [
            f"{kind}: none is done" for kind in missing
        ]

    def _run(self) -> None:
        while not self._stopped.wait(PAUSE):
            for kind in BODIES:
                if kind in self._running:
                    self._check(kind)
                else:
                    self._begin(kind)

    def _begin(self, kind: str) -> None:
        status, body = self._ask("POST", kind, BODIES[kind])
        if status == 202:
            self._running[kind] = int(body["id"])

    def _check(self, kind: str) -> None:
        status, body = self._ask("GET", f"{kind}/{self._running[kind]}")
        if status == 200 and body["status"] not in LIVE:
            self.ended[kind, body["status"]] += 1
            del self._running[kind]

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(*self._address(), timeout=20)
        try:
            text = None if body is None else json.dumps(body).encode()
            headers = {"Authorization": f"Bearer {KEY}"}
            connection.request(method, f"/v1/{path}", text, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None
        finally:
            connection.close()

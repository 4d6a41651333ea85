"""Backtests, reclassifications and retention runs during a soak, one at a time."""

import json
import time
from collections import Counter
from typing import Any

from tests.governance.contracts.documents import document, pre
from tests.soak.company import Member, Where
from tests.soak.load import CHECK, LATER, TOOL

KILLED = "The process that ran it ended"  # start of the error of a job whose process was killed
TO_END = 240.0  # seconds, because a job whose process died waits for its lease to expire
BACKTEST = document(pre("{args.number: {equals: 7}}", rule_id="no-seven"))
CONTRACT = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: soak}
defaults: {mode: observe}
rules:
  - id: no-secrets
    type: pre
    tool: read_file
    when: {args.path: {contains: vVERSION}}
    then: {action: block, message: Not that file.}
"""


class NotDone(Exception):
    """A request or job failed that must work after every fault."""


class Jobs(Member):
    """Client that runs one job at a time, alternating between kinds."""

    pause = 0.5

    def __init__(self, where: Where, key: str, old_key: str = "") -> None:
        super().__init__(where, key)
        self.ended: Counter[str] = Counter()
        self.reasons: list[str] = []  # errors of failed jobs
        self.wrong: list[str] = []  # errors that no fault of the soak explains
        self._running: tuple[str, int, str] | None = None
        self._kinds = [("contracts/backtests", key), ("reclassifications", key)]
        self._kinds += [("retention/runs", old_key)] * bool(old_key)

    def act(self) -> None:
        if self._running is None:
            self._begin()
            return
        kind, number, key = self._running
        status, content = self.ask("GET", f"{kind}/{number}", key=key)
        if status != 200 or (job := json.loads(content))["status"] in ("queued", "running"):
            return
        self.ended[f"{kind} {job['status']}"] += 1
        self._running = None
        if job["status"] == "failed":
            self._note_failure(f"{kind} {number} failed: {job['error']}")

    def _note_failure(self, reason: str) -> None:
        """Record a failure. A job whose process is killed too often fails by design and says so."""
        self.reasons.append(reason)
        if KILLED not in reason:
            self.wrong.append(reason)

    def _begin(self) -> None:
        kind, key = self._kinds[self.ended.total() % len(self._kinds)]
        body = {"yaml": BACKTEST} if kind.endswith("backtests") else {}
        status, content = self.ask("POST", kind, body, key)
        if status == 202:
            self._running = kind, int(json.loads(content)["id"]), key

    def must(self, method: str, path: str, body: object = None, key: str = "") -> Any:
        """Retry a request until it succeeds, since the current fault may still be in effect."""
        until = time.monotonic() + TO_END
        while True:
            status, content = self.ask(method, path, body, key)
            if status in (200, 201, 202):
                return json.loads(content)
            if time.monotonic() > until:
                raise NotDone(f"{method} {path}: {status} {content[:300]!r}")
            time.sleep(0.5)

    def save_check(self, version: int) -> None:
        self.must("PUT", "success-checks/soak", {"yaml": CHECK + (LATER if version > 1 else "")})

    def bind_check(self) -> None:
        line = {"environment": "*", "agent": "*", "tool": TOOL, "check": "soak"}
        self.must("PUT", "success-check-bindings", {"bindings": [line]})

    def deploy(self, version: int) -> None:
        self.must("POST", "contracts", {"yaml": CONTRACT.replace("VERSION", str(version))})
        live = {"version": version, "env": "production"}
        self.must("POST", "contracts/soak/deployments", live)

    def reclassify_all(self) -> None:
        number = self.must("POST", "reclassifications", {})["id"]
        self._wait_for("reclassifications", number)

    def keep_calls(self, key: str, days: int) -> None:
        """Set retention rules for the project of this key."""
        for kind in ("payloads", "calls"):
            self.must("PUT", "retention/rules", {"kind": kind, "days": days}, key)

    def remove_old(self, key: str) -> None:
        """Run retention a last time, so that nothing due is left."""
        number = self.must("POST", "retention/runs", {}, key)["id"]
        self._wait_for("retention/runs", number, key)

    def _wait_for(self, kind: str, number: int, key: str = "") -> None:
        until = time.monotonic() + TO_END
        while (job := self.must("GET", f"{kind}/{number}", key=key))["status"] != "done":
            if job["status"] in ("failed", "cancelled") or time.monotonic() > until:
                raise NotDone(f"{kind}: the last is {job}")
            time.sleep(0.3)

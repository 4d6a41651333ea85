"""Long work during a soak: backtests and reclassifications, one after the other."""

import json
import time
from collections import Counter
from typing import Any

from tests.governance.contracts.documents import document, pre
from tests.soak.company import Member, Where
from tests.soak.load import CHECK, LATER, TOOL

KILLED = "The process that ran it ended"  # how the reason begins that kills give
TO_END = 240.0  # seconds: a job whose process died waits for its lease to end
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
    """The console did not do what must work after every fault."""


class Jobs(Member):
    """Starts a job, follows it to its end, starts the other kind."""

    pause = 0.5

    def __init__(self, where: Where, key: str, old_key: str = "") -> None:
        super().__init__(where, key)
        self.ended: Counter[str] = Counter()
        self.reasons: list[str] = []  # of those that failed
        self.wrong: list[str] = []  # of those that no fault of the soak may end
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
        """A job whose process was killed so often ends by design, and says so."""
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
        """Try again until it is answered as it should be: the fault of a moment may last one."""
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
        """A rule of the project that this key belongs to."""
        for kind in ("payloads", "calls"):
            self.must("PUT", "retention/rules", {"kind": kind, "days": days}, key)

    def remove_old(self, key: str) -> None:
        """A last run, which leaves nothing that is due."""
        number = self.must("POST", "retention/runs", {}, key)["id"]
        self._wait_for("retention/runs", number, key)

    def _wait_for(self, kind: str, number: int, key: str = "") -> None:
        until = time.monotonic() + TO_END
        while (job := self.must("GET", f"{kind}/{number}", key=key))["status"] != "done":
            if job["status"] in ("failed", "cancelled") or time.monotonic() > until:
                raise NotDone(f"{kind}: the last is {job}")
            time.sleep(0.3)

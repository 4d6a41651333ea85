"""Throughput of check backtests and of reclassifying recorded calls."""

import json
import secrets
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.parts import SETTLING, Part
from bench.site import Site

LONGEST = 300.0  # seconds
POSTED_AT_ONCE = 500
OF_A_SESSION = 50
TOOLS = 20
NAME = "bench-results"
CHECK = f"""\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {{name: {NAME}}}
otherwise: success
rules:
  - {{id: not-ok, when: {{result.ok: {{equals: false}}}}, verdict: failure, reason: "{{result.message}}"}}
  - {{id: http, when: {{"result.status ?? result.status_code": {{gte: 400}}}}, verdict: failure, reason: "HTTP {{value}}"}}
  - {{id: error, when: {{result.error: {{exists: true}}}}, verdict: failure}}
  - {{id: partial, when: {{"result.items[*].error": {{any_item: {{exists: true}}}}}}, verdict: failure, label: partial}}
  - {{id: pending, when: {{result.state: {{in: [queued, pending, running]}}}}, verdict: unknown, label: pending}}
  - {{id: exit, when: {{result.exit_code: {{not_in: [0, null]}}}}, verdict: failure}}
  - {{id: traceback, when: {{result.text: {{contains: "Traceback (most recent call last)"}}}}, verdict: failure}}
  - {{id: refused, when: {{result.text: {{matches: '(?:permission|access) denied'}}}}, verdict: failure}}
  - {{id: empty, tool: "query_*", when: {{result.rows: {{empty: true}}}}, verdict: failure}}
  - {{id: slow, when: {{all: [{{elapsed_ms: {{gt: 60000}}}}, {{result.done: {{equals: false}}}}]}}, verdict: unknown}}
"""  # noqa: E501 - a rule is a line, as its author has it


class RejudgingEnded(Exception):
    """The job ended without a result, or took too long."""


def rejudging(site: Site, *, number: int) -> Iterator[Part]:
    """Backtest the check, then bind it and reclassify the same calls."""
    tag = f"judged-{secrets.token_hex(4)}"
    items = list(_items(tag, number))
    for start in range(0, number, POSTED_AT_ONCE):
        _ask(site, "POST", "/v1/outcomes", {"outcomes": items[start : start + POSTED_AT_ONCE]})
    site.wait_until_settled(SETTLING)
    want = {
        "newly_failed": sum(_fails(place) for place in range(number)),
        "otherwise_changed": sum(_pends(place) for place in range(number)),
    }
    want["unchanged"] = number - sum(want.values())
    narrowed = {"tool": f"{tag}-*"}
    fields = {"yaml": CHECK, "scope": "all", **narrowed}
    yield _run(site, "check backtest", "/v1/success-checks/backtests", fields, number, want)
    _ask(site, "PUT", f"/v1/success-checks/{NAME}", {"yaml": CHECK})
    line = {"environment": "*", "agent": "*", "tool": f"{tag}-*", "check": NAME}
    _ask(site, "PUT", "/v1/success-check-bindings", {"bindings": [line]})
    yield _run(site, "reclassification", "/v1/reclassifications", narrowed, number, want)
    _ask(site, "PUT", "/v1/success-check-bindings", {"bindings": []})


def _run(
    site: Site, name: str, path: str, request: dict[str, Any], number: int, want: dict[str, int]
) -> Part:
    part = Part(name, POSTED_AT_ONCE, 1, number, how="ten rules, results of 400 bytes")
    job = _ask(site, "POST", path, request)["id"]
    until = time.monotonic() + LONGEST
    while (result := _ask(site, "GET", f"{path}/{job}"))["status"] in ("queued", "running"):
        if time.monotonic() > until:
            raise RejudgingEnded(f"The {name} took longer than {LONGEST:.0f} seconds.")
        time.sleep(0.1)
    if result["status"] != "done":
        raise RejudgingEnded(f"The {name} {result['status']}: {result['error']}")
    got = {flip: result[flip] for flip in want}
    part.faults = [
        f"{flip}: {got[flip]}, not {want[flip]}" for flip in want if got[flip] != want[flip]
    ]
    took = _seconds(result["finished_at"]) - _seconds(result["started_at"])
    part.figures = {
        "items_per_s": number / took,
        "per_core": number / max(result["cpu_seconds"], 0.01),
    }
    return part


def _fails(place: int) -> bool:
    return place % 20 == 0


def _pends(place: int) -> bool:
    return place % 50 == 7


def _items(tag: str, number: int) -> Iterator[dict[str, Any]]:
    first = datetime.now(UTC) - timedelta(hours=20)
    for place in range(number):
        state = "pending" if _pends(place) else "done"
        text = f"{place:08x} " + "found in the records " * 15
        yield {
            "type": "execution_result",
            "call_id": f"{tag}-{place}",
            "tool_name": f"{tag}-{place % TOOLS}",
            "agent_id": f"{tag}-agent",
            "session_id": f"{tag}-{place // OF_A_SESSION}",
            "timestamp": (first + timedelta(milliseconds=10 * place)).isoformat(),
            "tool_args": {"query": f"invoices of customer {place}"},
            "elapsed_ms": 12.5,
            "output": {"ok": not _fails(place), "status": 200, "state": state, "text": text},
        }


def _ask(site: Site, method: str, path: str, body: object = None) -> dict[str, Any]:
    status, answer = site.ask(method, path, body)
    if status >= 300:
        raise RejudgingEnded(f"{path} answered {status}: {answer}")
    outcome: dict[str, Any] = json.loads(answer)
    return outcome


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()

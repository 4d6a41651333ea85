"""Posts one realistic day of calls, the template for a store of many days.

Items are small, as nine in ten are in practice: pages read rows and rollups, and load the events of
only one call.
"""

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, repeat
from typing import Any

from bench.site import Site
from bench.workload import AGENTS, TOOLS

OF_A_SESSION = 50
LONG, LONG_CALLS = "a-long-session", 5_000
POSTED_AT_ONCE = 500
_KINDS = (
    ["execution_result"] * 86
    + ["denied"] * 7
    + ["failure"] * 4
    + ["artifact_reference"] * 2
    + ["timeout"]
)
_RULES = 12
_REASONS = ("contract", "approval", "limit", "unknown_tool")
_ERRORS = ("connection refused by {}", "no such table: {}", "{} is not allowed here", "quota of {}")


class NotPosted(Exception):
    """Ingest rejected a post or part of it."""


def post_a_day(site: Site, calls: int, end: datetime, policy: str) -> None:
    """Post the day that ends at `end`, with twenty sessions running at a time."""
    sessions = (f"session-{_session_of(place)}" for place in range(calls))
    _post(site, _items(sessions, calls, end - timedelta(days=1), policy))


def post_a_long_session(site: Site, end: datetime, policy: str) -> None:
    """Post one long session in the last hour before `end`."""
    first = end - timedelta(hours=1)
    items = _items(repeat(LONG, LONG_CALLS), LONG_CALLS, first, policy, timedelta(hours=1))
    _post(site, items, prefix="long-")


def _post(site: Site, items: Iterable[dict[str, Any]], prefix: str = "") -> None:
    left = iter(items)
    while part := list(islice(left, POSTED_AT_ONCE)):
        for item in part:
            item["call_id"] = prefix + item["call_id"]
        status, answer = site.ask("POST", "/v1/outcomes", {"outcomes": part})
        if status != 202 or '"rejected":[]' not in answer:
            raise NotPosted(f"{status}: {answer[:500]}")


def _session_of(place: int) -> int:
    return place // 20 // OF_A_SESSION * 20 + place % 20


def _items(
    sessions: Iterable[str],
    calls: int,
    first: datetime,
    policy: str,
    length: timedelta = timedelta(days=1),
) -> Iterator[dict[str, Any]]:
    rng = random.Random("day")  # noqa: S311 - figures, not secrets
    for place, session in enumerate(sessions):
        tool = int(TOOLS * rng.random() ** 2)
        yield {
            "type": (kind := rng.choice(_KINDS)),
            "call_id": f"call-{place}",
            "tool_name": f"tool_{tool}",
            "agent_id": f"agent-{_session_of(place) % AGENTS if session != LONG else 1}",
            "session_id": session,
            "turn_id": f"turn-{place // 200}",
            "policy_version": policy,
            "timestamp": (first + place * length / calls).astimezone(UTC).isoformat(),
            "tool_args": {"query": f"customer {rng.randrange(40)}", "page": rng.randrange(3)},
            **_became(kind, rng, tool),
        }


def _became(kind: str, rng: random.Random, tool: int) -> dict[str, Any]:
    elapsed = round(rng.lognormvariate(4 + tool / 12, 1), 1)
    if kind == "denied":
        rule = f"rule-{tool % _RULES}"
        return {"reason": rng.choice(_REASONS), "details": "Not that one.", "decision_name": rule}
    if kind == "failure":
        error = rng.choice(_ERRORS).format(rng.randrange(10**6))
        return {"error": error, "elapsed_ms": elapsed, "retryable": rng.random() < 0.5}
    if kind == "timeout":
        return {"deadline_s": 30, "elapsed_ms": 30_000}
    if kind == "artifact_reference":
        sha = f"{rng.randrange(200):064x}"
        return {"artifact_id": sha, "summary": "a table", "size_bytes": 40_000}
    is_error = rng.random() < 0.04
    output = {"is_error": is_error, "rows": [[rng.randrange(10**9)] for _ in range(6)]}
    return {"output": output, "elapsed_ms": elapsed, "tool_success": rng.random() < 0.98}

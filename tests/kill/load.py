"""Items that a drill posts, and the data that must be stored for them."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.items import an_event, an_outcome

BATCH = 50
SESSIONS = 40
LARGE = "x" * 12_500


@dataclass(frozen=True, slots=True)
class Post:
    """Request body and its calls, which are only expected to be stored once acknowledged."""

    path: str
    body: bytes
    calls: tuple[str, ...]


@dataclass(slots=True)
class Load:
    posts: list[Post] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)  # final type by call
    verdicts: dict[str, str | None] = field(default_factory=dict)
    events: int = 0
    attempts: Counter[str] = field(default_factory=Counter)  # by session


def load_of(items: int, *, first: int = 0) -> Load:
    """Load of outcomes, and of SDK calls whose two events arrive in different posts.

    Calls are numbered starting at `first`.
    """
    load = Load()
    outcomes: list[dict[str, Any]] = []
    before: list[dict[str, Any]] = []
    after: list[dict[str, Any]] = []
    number = first
    while load.events < items:
        call, session = f"call-{number}", f"session-{number % SESSIONS}"
        load.attempts[session] += 1
        if number % 10 < 7:
            item, kind, verdict = _posted(number, call, session)
            outcomes.append(item)
            load.events += 1
        else:
            allowed, answer, kind, verdict = _expected(number, call, session)
            before.append(allowed)
            after.append(answer)
            load.events += 2
        load.kinds[call], load.verdicts[call] = kind, verdict
        number += 1
    load.posts = _posts(outcomes, before, after)
    return load


def _posted(number: int, call: str, session: str) -> tuple[dict[str, Any], str, str | None]:
    common: dict[str, Any] = {
        "session_id": session,
        "agent_id": f"agent-{number % 4}",
        "tool_name": f"tool-{number % 6}",
        "timestamp": _time(number),
        "tool_args": {"number": number},
    }
    if number % 50 == 0:
        return (
            an_outcome(call, output=f"{number} {LARGE}", **common),
            "artifact_reference",
            "success",
        )
    match number % 10:
        case 0 | 1 | 2:
            return an_outcome(call, output={"n": number}, **common), "execution_result", "success"
        case 3:
            return an_outcome(call, output="Error: x", **common), "execution_result", "failure"
        case 4:
            return an_outcome(call, type="timeout", deadline_s=30, **common), "timeout", "failure"
        case 5:
            return an_outcome(call, type="failure", error="x", **common), "failure", "failure"
        case _:
            return an_outcome(call, type="denied", reason="blocked", **common), "denied", None


def _expected(
    number: int, call: str, session: str
) -> tuple[dict[str, Any], dict[str, Any], str, str | None]:
    common: dict[str, Any] = {
        "run_id": session,
        "agent_id": f"agent-{number % 4}",
        "tool_name": f"tool-{number % 6}",
        "timestamp": _time(number),
    }
    allowed = an_event("call_allowed", call, **common)
    if number % 2:
        return allowed, an_event("call_executed", call, **common), "execution_result", "success"
    return allowed, an_event("call_failed", call, **common), "failure", "failure"


def _posts(
    outcomes: list[dict[str, Any]], before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[Post]:
    """Posts of the three kinds by turns, with second events of SDK calls after the first ones."""
    rows = [_bodies("outcomes", outcomes), _bodies("events", before), _bodies("events", after)]
    rows[2] = [*[None] * 5, *rows[2]]
    longest = max(map(len, rows))
    mixed = [row[place] for place in range(longest) for row in rows if place < len(row)]
    return [post for post in mixed if post is not None]


def _bodies(path: str, items: list[dict[str, Any]]) -> list[Post | None]:
    parts = [items[start : start + BATCH] for start in range(0, len(items), BATCH)]
    return [
        Post(path, json.dumps({path: part}).encode(), tuple(item["call_id"] for item in part))
        for part in parts
    ]


def _time(number: int) -> str:
    return f"2026-11-18T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}+00:00"

"""Per-minute limits of a key, counted in Redis across all web processes.

Minutes are clock minutes. If Redis doesn't answer, nothing is limited: limits protect from runaway
agents and must not reject good ones.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from redis import Redis

from governance import broker
from governance.core.errors import TooManyRequests
from governance.people.auth.access import Access

_clock = time.time
MINUTE: Final = 60
_KEY: Final = "edictum-site:used"


@dataclass(frozen=True, slots=True)
class Budget:
    """Remaining budget of one limit in this minute."""

    limit: int
    remaining: int
    reset: int  # seconds


def spend_request(access: Access) -> Budget | None:
    """Count one request of a key; reject it if the minute's limit is exhausted."""
    if access.requests_per_minute is None:
        return None
    return _spend(access, "requests", 1, access.requests_per_minute)


def spend_items(request: HttpRequest, access: Access, items: int) -> None:
    """Count the items of a post; reject all of them if they exceed this minute's limit."""
    limit = access.items_per_minute
    if limit is None or not items:
        return
    if items > limit:
        detail = f"This key may send {limit:,} items per minute, and the post has {items:,}."
        raise TooManyRequests(f"{detail} Send smaller posts.", retry_after=MINUTE)
    note_budget(request, "items", _spend(access, "items", items, limit))


def note_budget(request: HttpRequest, kind: str, budget: Budget | None) -> None:
    """Record the remaining budget, to be sent in the response headers."""
    if budget is not None:
        vars(request).setdefault("key_budgets", {})[kind] = budget


def add_limit_headers(request: HttpRequest, response: HttpResponseBase) -> None:
    """Add headers such as `RateLimit-Limit: 600`, with the suffix `-Items` for items."""
    for kind, budget in vars(request).get("key_budgets", {}).items():
        suffix = "-Items" if kind == "items" else ""
        response.headers[f"RateLimit-Limit{suffix}"] = str(budget.limit)
        response.headers[f"RateLimit-Remaining{suffix}"] = str(budget.remaining)
        response.headers[f"RateLimit-Reset{suffix}"] = str(budget.reset)


def _spend(access: Access, kind: str, amount: int, limit: int) -> Budget | None:
    now = _clock()
    reset = MINUTE - int(now) % MINUTE
    counter = f"{_KEY}:{access.actor.id}:{kind}:{int(now) // MINUTE}"
    used = None if broker.is_silent() else broker.query(lambda redis: _add(redis, counter, amount))
    if used is None:
        return None
    if used > limit:
        # Rejected work isn't counted, so a small post may still fit after a large one is rejected.
        broker.query(lambda redis: redis.decrby(counter, amount))
        detail = f"This key's limit of {limit:,} {kind} per minute is exceeded."
        raise TooManyRequests(f"{detail} Try again in {reset} s.", retry_after=reset)
    return Budget(limit, limit - used, reset)


def _add(redis: "Redis", counter: str, amount: int) -> int:
    pipeline: Any = redis.pipeline(transaction=False)
    used, _ = pipeline.incrby(counter, amount).expire(counter, 2 * MINUTE).execute()
    return int(used)

"""A project with calls old enough for retention, posted while the console's clock was behind."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from tests.hosts.browser import Browser
from tests.hosts.clock import skewed_clock
from tests.items import an_outcome
from tests.kill.load import BATCH, Post
from tests.kill.posting import Poster
from tests.kill.reading import get, wait_until_settled
from tests.kill.victims import Victim

AGE: Final = timedelta(days=40)
DAYS: Final = 7  # shortest retention period
_KEY: Final = re.compile(r"edk_production_[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Old:
    key: str
    calls: int
    totals: Any  # all-time figures of the API

    def left(self, address: tuple[str, int]) -> int:
        return len(get(address, "outcomes?limit=1000", self.key)["outcomes"])

    def wrong(self, address: tuple[str, int]) -> list[str]:
        """Problems after a retention run: remaining calls, or changed totals."""
        now = totals(address, self.key)
        problems = [f"{left} calls outlived retention"] if (left := self.left(address)) else []
        if now != self.totals:
            problems.append(f"sums after retention are {now}, were {self.totals}")
        return problems


def old_project(data: Path, variables: Mapping[str, str], calls: int) -> Old | None:
    """Start a console with a wrong clock, post old calls to a new project, settle them, and stop.

    None without a C compiler, which the wrong clock needs.
    """
    wrong = skewed_clock(-int(AGE.total_seconds()), data.parent)
    if not wrong:
        return None
    victim = Victim(data, {**variables, **wrong})
    try:
        key = _new_key(Browser(victim.product.url))
        posts = _posts(calls)
        poster = Poster(posts, victim.address, key)
        poster.start(1)
        poster.let(len(posts))
        poster.wait_for(len(posts))
        wait_until_settled(victim.address(), key)
        return Old(key, calls, totals(victim.address(), key))
    finally:
        victim.stop()


def totals(address: tuple[str, int], key: str) -> Any:
    return get(address, "stats?by=tool", key)["rows"]


def _new_key(browser: Browser) -> str:
    keys = browser.post("/projects/new/", name="Old")
    fields = {"name": "soak", "environment": "production"}
    shown = browser.post(f"{keys}new/", **fields, scopes=["ingest", "read", "manage"])
    return str(_KEY.findall(browser.page(shown))[0])


def _posts(calls: int) -> list[Post]:
    at = (datetime.now(UTC) - AGE).isoformat()
    names = [f"old-{number}" for number in range(calls)]
    return [_post_of(names[start : start + BATCH], at) for start in range(0, calls, BATCH)]


def _post_of(names: list[str], at: str) -> Post:
    items = [
        an_outcome(name, session_id=f"old-{name[-1]}", tool_name=f"old-{name[-1]}", timestamp=at)
        for name in names
    ]
    return Post("outcomes", json.dumps({"outcomes": items}).encode(), tuple(names))

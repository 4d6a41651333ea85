"""`python -m bench.pages`: how long the product takes for each page and for figures, at a million
calls in ninety days, or `--calls`; with `--full` at ten million too, on PostgreSQL, and how many
times longer that is. Stores of `--full` are kept below `.cache/pages` for the next run.
"""

import argparse
import http.client
import json
import math
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from bench.copies import Copying
from bench.day import LONG, LONG_CALLS, post_a_day, post_a_long_session
from bench.editor import Browser
from bench.governing import deploy
from bench.machine import ROOT
from bench.processes import CpuMeter
from bench.recount import faults_in_figures
from bench.site import Site, site
from bench.stores import Store, store

DAYS, TRIES, SETTLING = 90, 15, 600.0
SLOW = 1_000.0  # ms
FULL = (1_000_000, 10_000_000)
STORES, FILLED = ROOT / ".cache/pages", "filled.json"


@dataclass(frozen=True, slots=True)
class Filled:
    """Description of a filled store, saved in a file next to it."""

    calls: int
    end: datetime  # of the newest day
    secret: str


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options = _options()
    if options.full:
        return _full(options.sizes)
    counted: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="edictum-pages-") as name:
        for each in options.stores:
            with store(each, Path(name)) as chosen:
                counted[each] = pages(chosen, options.calls)
    print(table(counted))
    return _fault_of(counted)


def _full(sizes: tuple[int, ...]) -> int:
    os.environ.pop("DATABASE_URL", None)  # a database on that server would be dropped afterwards
    counted: dict[str, Any] = {}
    for calls in sizes:
        folder = STORES / f"{calls}"
        if _known(folder / FILLED) is None:  # not filled, not completely, or with another schema
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        with store("postgres", folder) as chosen:
            counted[f"{calls:,}"] = pages(chosen, calls, stored=folder / FILLED)
    print(table(counted, compared=True))
    return _fault_of(counted)


def _fault_of(result: dict[str, Any]) -> int:
    return int(any(each["recount"] != "exact" for each in result.values()))


def pages(chosen: Store, calls: int, stored: Path | None = None) -> dict[str, Any]:
    with _filled(chosen, calls, stored) as (running, filled):
        browser = Browser(running)
        browser.sign_in()
        request = _paths(filled.end) | _detail_paths(chosen, filled.end) | _questions(filled.end)
        rows = {name: _measured(browser, path) for name, path in request.items()}
        faults = faults_in_figures(running, filled.calls, filled.end - timedelta(days=DAYS))
    return {"rows": rows, "calls": filled.calls, "recount": faults or "exact"}


@contextmanager
def _filled(chosen: Store, calls: int, stored: Path | None) -> Iterator[tuple[Site, Filled]]:
    filled = _known(stored)
    if filled is None:
        filled = _fill(chosen, calls)
        if stored is not None:
            fields = {"calls": filled.calls, "end": filled.end.isoformat(), "secret": filled.secret}
            stored.write_text(json.dumps(fields | {"tables": _tables()}))
    with site(chosen, filled.secret) as running:
        running.wait_until_settled(SETTLING)
        yield running, filled


def _known(stored: Path | None) -> Filled | None:
    if stored is None or not stored.exists():
        return None
    body = json.loads(stored.read_text())
    if body["tables"] != _tables():
        return None
    return Filled(body["calls"], datetime.fromisoformat(body["end"]), body["secret"])


def _tables() -> list[str]:
    """Names of all migrations. A store filled with different ones is filled again."""
    return sorted(file.stem for file in ROOT.glob("*/migrations/0*.py"))


def _fill(chosen: Store, calls: int) -> Filled:
    """Fill a store with one ingested and settled day, and copies of it as the other days."""
    began, secret, of_a_day = time.monotonic(), secrets.token_hex(20), max(calls // DAYS, 100)
    end = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with site(chosen, secret) as running:
        copying = Copying(chosen)
        copying.make_room()
        policy = deploy(running)
        post_a_day(running, of_a_day, end, policy)
        running.wait_until_settled(SETTLING)
        _wait_until_rolled_up(chosen)
    try:
        copying.copy(DAYS - 1, lambda day: _say(f"{chosen.name}: {day + 1} days\r"))
    finally:
        copying.close()
    with site(chosen, secret) as running:
        post_a_long_session(running, end, policy)
        running.wait_until_settled(SETTLING)
        _wait_until_rolled_up(chosen)
    chosen.tidy()
    filled = Filled(of_a_day * DAYS + LONG_CALLS, end, secret)
    _say(f"{chosen.name}: {filled.calls:,} calls in {time.monotonic() - began:.0f} s\n")
    return filled


def _wait_until_rolled_up(chosen: Store) -> None:
    until = time.monotonic() + SETTLING
    while chosen.rows("SELECT 1 FROM outcomes_rollupchange LIMIT 1"):
        if time.monotonic() > until:
            raise TimeoutError("What changed was not rolled up in time.")
        time.sleep(0.2)


def _paths(end: datetime) -> dict[str, str]:
    """Pages of the newest day, which are opened most, and of all ninety days."""
    day = _within(end - timedelta(days=1), end)
    all_of_it = _within(end - timedelta(days=DAYS), end)
    lists = {
        "overview": "overview/",
        "sessions": "sessions/",
        "sessions, by failures": "sessions/?sort=failures",
        "calls": "calls/",
        "tools": "tools/",
        "a tool": "tools/tool_3/",
        "its failures, group by group": "live/tool-groups/?of=tool_3",
        "its results": "live/tool-results/?of=tool_3",
        "its slowest calls": "live/tool-calls/?of=tool_3",
        "denials": "denials/",
        "what a rule denied": "denials/rule/?rule=rule-3",
        "artifacts": "artifacts/",
        "agents": "agents/",
        "an agent": "agents/agent-1/",
        "what an agent did": "live/agent-activity/?of=agent-1",
        "approvals": "approvals/",
        "contracts": "contracts/",
        "a contract": "contracts/b/bench/",
        "checks": "checks/",
        "disagreements": "checks/disagreements/",
        "suggestions": "checks/suggestions/",
    }
    paths = {}
    for name, path in lists.items():
        joined = "&" if "?" in path else "?"
        paths[f"{name}, a day"] = f"/p/default/{path}{joined}{day}"
        paths[f"{name}, 90 days"] = f"/p/default/{path}{joined}{all_of_it}"
    paths["a session of 50 calls"] = "/p/default/sessions/session-3/"
    paths["a session of 5,000 calls"] = f"/p/default/sessions/{quote(LONG)}/"
    paths["a call"] = "/p/default/calls/call-70/"
    paths["the palette, by a name"] = "/p/default/live/search/?q=tool"
    paths["the palette, by how a session's id begins"] = "/p/default/live/search/?q=session-3"
    paths["the palette, by the id of a call"] = "/p/default/live/search/?q=call-70"
    return paths


def _detail_paths(chosen: Store, end: datetime) -> dict[str, str]:
    """Pages whose addresses depend on the filled store."""
    all_of_it = _within(end - timedelta(days=DAYS), end)
    (digest,) = chosen.rows(
        "SELECT digest FROM outcomes_callgroup WHERE of = 'failure' ORDER BY id LIMIT 1"
    )[0]
    (name,) = chosen.rows("SELECT name FROM outcomes_artifactuse ORDER BY id DESC LIMIT 1")[0]
    both = urlencode({"of": "session-3", "with": "session-4"})
    return {
        "failed alike, 90 days": f"/p/default/groups/{bytes(digest).hex()}/?{all_of_it}",
        "an artifact": f"/p/default/artifacts/{quote(name, safe='')}/",
        "two sessions side by side": f"/p/default/compare-sessions/?{both}",
    }


def _questions(end: datetime) -> dict[str, str]:
    all_of_it = urlencode(
        {"since": (end - timedelta(days=DAYS)).isoformat(), "until": end.isoformat()}
    )
    by = ("tool", "agent", "reason", "hour", "session")
    return {f"GET stats by {each}, 90 days": f"/v1/stats?by={each}&{all_of_it}" for each in by}


def _within(since: datetime, until: datetime) -> str:
    return urlencode({"from": f"{since:%Y-%m-%dT%H:%MZ}", "to": f"{until:%Y-%m-%dT%H:%MZ}"})


def _measured(browser: Browser, path: str) -> dict[str, Any]:
    """Measure a page over loopback, from the first byte of the request to the last of the response.

    The first request, with cold caches, isn't counted; slow pages are requested less often.
    """
    try:
        first, size, status = _request(browser, path)
        if status != http.client.OK:
            return {"status": f"answered {status}"}
        tries = TRIES if first < SLOW else 3
        meter, then = CpuMeter(browser.site.processes), time.monotonic()
        took = sorted(_request(browser, path)[0] for _ in range(tries))
    except TimeoutError:
        return {"status": "no answer in time"}
    cores, seconds = meter.read(), time.monotonic() - then
    busy = sum(cores.get(name, 0.0) for name in ("web", "database"))
    return {
        "cpu_ms": round(1_000 * busy * seconds / tries, 1),
        "p50_ms": round(took[len(took) // 2], 1),
        "p95_ms": round(took[math.ceil(len(took) * 0.95) - 1], 1),
        "bytes": size,
    }


def _request(browser: Browser, path: str) -> tuple[float, int, int]:
    began = time.perf_counter()
    status, text = browser.ask("GET", path)
    return 1_000 * (time.perf_counter() - began), len(text), status


def table(result: dict[str, Any], *, compared: bool = False) -> str:
    """Table with a row per page and a column per store; if compared, also their ratios."""
    names = list(next(iter(result.values()))["rows"])
    lines = ["p50 · p95 · processor, ms".ljust(38) + "".join(f"{store:>24}" for store in result)]
    for name in names:
        rows = [each["rows"][name] for each in result.values()]
        if any("status" in row for row in rows):
            listed = [str(row.get("status", "answered")) for row in rows]
        else:
            listed = [
                f"{row['p50_ms']:.1f} · {row['p95_ms']:.1f} · {row['cpu_ms']:.1f}" for row in rows
            ]
            if compared and len(rows) > 1:
                listed.append(f"{_times(rows, 'p50_ms'):.1f} · {_times(rows, 'cpu_ms'):.1f} times")
        lines.append(name.ljust(38) + "".join(f"{each:>24}" for each in listed))
    for store_name, each in result.items():
        recount = "exact" if each["recount"] == "exact" else "; ".join(each["recount"])
        lines.append(f"{store_name}: {each['calls']:,} calls, recount {recount}")
    return "\n".join(lines)


def _times(rows: list[dict[str, Any]], figure: str) -> float:
    """Ratio of the last row to the first."""
    return float(rows[-1][figure] / max(rows[0][figure], 0.1))


def _say(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    options.add_argument("--calls", type=int, default=FULL[0], help="not of --full")
    options.add_argument(
        "--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"]
    )
    options.add_argument("--full", action="store_true", help="one and ten million, kept")
    options.add_argument("--sizes", nargs="+", type=int, default=FULL, help="of --full")
    return options.parse_args()


if __name__ == "__main__":
    sys.exit(main())

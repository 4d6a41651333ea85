"""Backtest throughput in recorded calls per second, compared with the library in a bare loop."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import yaml

from bench.bare_loop import Order, bare_loop
from bench.governing import NotGoverned
from bench.parts import SETTLING, Part
from bench.processes import CpuMeter
from bench.replayed import APART, CONTRACT, calls
from bench.site import Site

KINDS = {"mix": "a realistic mix", "different": "no two calls alike"}
LONGEST = 300.0  # seconds
POSTED_AT_ONCE = 500
# Earlier than all other calls of a bench, and far enough apart that the kinds don't overlap.
AGO = {"mix": timedelta(hours=20), "different": timedelta(hours=10)}


class BacktestEnded(Exception):
    """The backtest ended without a result, or took too long."""


class Recorded(NamedTuple):
    """Calls of one kind, and the period in which they happened."""

    items: list[dict[str, Any]]
    since: datetime
    until: datetime

    @property
    def request(self) -> dict[str, Any]:
        """Request for a backtest over these calls."""
        period = {"since": self.since.isoformat(), "until": self.until.isoformat()}
        return {"yaml": CONTRACT, **period}


def recorded(site: Site, kind: str, number: int) -> Recorded:
    """Post calls and wait until they settle. They report the tested contract as governing them."""
    version = _saved(site)
    since = datetime.now(UTC) - AGO[kind]
    items = list(calls(kind, number, since, version))
    for start in range(0, number, POSTED_AT_ONCE):
        ask(site, "POST", "/v1/outcomes", {"outcomes": items[start : start + POSTED_AT_ONCE]})
    site.wait_until_settled(SETTLING)
    site.store.tidy()
    return Recorded(items, since, since + number * APART)


def backtests(site: Site, kind: str, posted: Recorded) -> Part:
    number = len(posted.items)
    part = Part(f"backtest, {kind}", POSTED_AT_ONCE, 1, number, how=KINDS[kind])
    meter = CpuMeter(site.processes)
    began = time.monotonic()
    result = _run(site, posted)
    part.cores = meter.read()
    database = part.cores.get("database", 0.0) * (time.monotonic() - began)
    processor = result["cpu_seconds"] + database
    bare = bare_loop(Order(CONTRACT, _actions(), posted.items))
    took = _seconds(result["finished_at"]) - _seconds(result["started_at"])
    part.faults = _faults(result, bare.decisions, number)
    part.figures = {
        "items_per_s": number / took,
        "per_core": number / processor,
        "bare_per_s": number / bare.seconds,
        "of_bare": bare.seconds / took,
        "of_bare_per_core": bare.processor / processor,
        "memory_mb": result["memory_mb"],
    }
    return part


def _run(site: Site, posted: Recorded) -> dict[str, Any]:
    number = started(site, posted)
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        result = ask(site, "GET", f"/v1/contracts/backtests/{number}")
        if result["status"] == "done":
            return result
        if result["status"] not in ("queued", "running"):
            raise BacktestEnded(f"The backtest {result['status']}: {result['error']}")
        time.sleep(0.1)
    raise BacktestEnded(f"The backtest took longer than {LONGEST:.0f} seconds.")


def started(site: Site, posted: Recorded) -> int:
    number: int = ask(site, "POST", "/v1/contracts/backtests", posted.request)["id"]
    return number


def _faults(result: dict[str, Any], decisions: dict[str, int], number: int) -> list[str]:
    """Differences from the library's own decisions, and calls not counted exactly once."""
    faults = []
    names = ("newly_denied", "newly_allowed", "newly_asking", "changed", "undetermined")
    summed = sum(result[name] for name in names) + result["unchanged"]
    if not number == result["calls"] == summed:
        faults.append(f"{result['calls']} calls, {summed} in the figures, not {number}")
    for name in ("newly_denied", "newly_asking"):
        if result[name] != decisions.get(name, 0):
            faults.append(f"{name}: {result[name]}, the library says {decisions.get(name, 0)}")
    if sum(row["newly_denied"] for row in result["by_rule"].values()) != result["newly_denied"]:
        faults.append("the rules do not add up")
    return faults


def _saved(site: Site) -> str:
    """Save the contract and return its revision hash, which agents report with their calls.

    It isn't deployed, so that a single contract governs the items of all other parts.
    """
    revision: str = ask(site, "POST", "/v1/contracts", {"yaml": CONTRACT})["revision_hash"]
    return revision


def ask(site: Site, method: str, path: str, body: object = None) -> dict[str, Any]:
    status, answer = site.ask(method, path, body)
    if status >= 300:
        raise NotGoverned(f"{path} answered {status}: {answer}")
    outcome: dict[str, Any] = json.loads(answer)
    return outcome


def _actions() -> dict[str, str]:
    rules = yaml.safe_load(CONTRACT)["rules"]
    return {rule["id"]: rule.get("then", {}).get("action", "block") for rule in rules}


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()

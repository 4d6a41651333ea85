"""Backtests under load: recorded calls per second, beside the library asked in a bare loop."""

import json
import secrets
import time
from datetime import datetime
from typing import Any

import yaml

from bench.bare_loop import Order, bare_loop
from bench.governing import NotGoverned
from bench.parts import SETTLING, Part
from bench.replayed import BUNDLE, CONTRACT, calls
from bench.site import Site

KINDS = {"mix": "a realistic mix", "different": "no two calls alike"}
LONGEST = 300.0  # seconds
POSTED_AT_ONCE = 500


class BacktestEnded(Exception):
    """Without a result, or not in time."""


def backtests(site: Site, kind: str, *, number: int) -> Part:
    """The contract is deployed first, so both it and the text that is tried are asked."""
    part = Part(f"backtest, {kind}", POSTED_AT_ONCE, 1, number, how=KINDS[kind])
    tag = f"{kind}-{secrets.token_hex(4)}"
    _deploy(site)
    items = list(calls(kind, number, tag))
    for start in range(0, number, POSTED_AT_ONCE):
        _ask(site, "POST", "/v1/outcomes", {"outcomes": items[start : start + POSTED_AT_ONCE]})
    site.wait_until_settled(SETTLING)
    result = _run(site, tag)
    bare = bare_loop(Order(CONTRACT, _actions(), items))
    took = _seconds(result["finished_at"]) - _seconds(result["started_at"])
    part.faults = _faults(result, bare.decisions, number)
    part.figures = {
        "items_per_s": number / took,
        "per_core": number / max(result["cpu_seconds"], 0.01),
        "bare_per_s": number / bare.seconds,
        "of_bare": bare.seconds / took,
    }
    return part


def _run(site: Site, tag: str) -> dict[str, Any]:
    asked = {"yaml": CONTRACT, "agent": f"{tag}-*"}
    backtest = _ask(site, "POST", "/v1/contracts/backtests", asked)["id"]
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        found = _ask(site, "GET", f"/v1/contracts/backtests/{backtest}")
        if found["status"] == "done":
            return found
        if found["status"] not in ("queued", "running"):
            raise BacktestEnded(f"The backtest {found['status']}: {found['error']}")
        time.sleep(0.1)
    raise BacktestEnded(f"The backtest took longer than {LONGEST:.0f} seconds.")


def _faults(found: dict[str, Any], decisions: dict[str, int], number: int) -> list[str]:
    """Every call is counted once, and as the library itself decides about it."""
    faults = []
    names = ("newly_denied", "newly_allowed", "newly_asking", "changed", "undetermined")
    summed = sum(found[name] for name in names) + found["unchanged"]
    if not number == found["calls"] == summed:
        faults.append(f"{found['calls']} calls, {summed} in the figures, not {number}")
    for name in ("newly_denied", "newly_asking"):
        if found[name] != decisions.get(name, 0):
            faults.append(f"{name}: {found[name]}, the library says {decisions.get(name, 0)}")
    if sum(row["newly_denied"] for row in found["by_rule"].values()) != found["newly_denied"]:
        faults.append("the rules do not add up")
    return faults


def _deploy(site: Site) -> None:
    saved = _ask(site, "POST", "/v1/contracts", {"yaml": CONTRACT})
    body = {"version": saved["version"], "env": "production"}
    _ask(site, "POST", f"/v1/contracts/{BUNDLE}/deployments", body)


def _ask(site: Site, method: str, path: str, body: object = None) -> dict[str, Any]:
    status, answer = site.ask(method, path, body)
    if status >= 300:
        raise NotGoverned(f"{path} answered {status}: {answer}")
    told: dict[str, Any] = json.loads(answer)
    return told


def _actions() -> dict[str, str]:
    rules = yaml.safe_load(CONTRACT)["rules"]
    return {rule["id"]: rule.get("then", {}).get("action", "block") for rule in rules}


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()

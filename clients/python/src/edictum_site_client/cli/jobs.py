"""Runs backtests from a pipeline: starts them, waits for results, and checks limits."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from edictum_site_client.cli.api import Api, Refusal, Stop
from edictum_site_client.cli.output import Output

PAUSE = 1.0  # seconds
_AGO = re.compile(r"(\d{1,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def finished(api: Api, path: tuple[str, ...], body: Mapping[str, Any], patience: float) -> Any:
    """Run a backtest and return its result; cancel it if it takes too long."""
    number = str(api.post(*path, **body)["id"])
    until = time.monotonic() + patience
    while True:
        job = api.get(*path, number)
        if job["status"] == "done":
            return job
        if job["status"] in ("failed", "cancelled"):
            reason = job["error"] or "it was cancelled"
            raise Stop(f"Backtest {number} has no result: {reason}")
        if time.monotonic() > until:
            _cancel(api, path, number)
            raise Stop(
                f"Backtest {number} took longer than {patience:g} s and was cancelled."
                " Raise --timeout, or shorten the time range with --since."
            )
        time.sleep(PAUSE)


def _cancel(api: Api, path: tuple[str, ...], number: str) -> None:
    try:
        api.delete(*path, number)
    except Refusal as refusal:
        if refusal.status != 409:  # 409: it has just ended
            raise


def recorded_calls(options: Namespace) -> dict[str, Any]:
    """Filters of recorded calls in the API's format."""
    filters = {
        "env": options.env,
        "since": moment(options.since),
        "until": moment(options.until),
        "agent": options.agent,
        "tool": options.tool,
    }
    return {name: value for name, value in filters.items() if value}


def moment(text: str) -> str:
    """Timestamp for `7d`, `12h` or `30m` ago; anything else is returned unchanged."""
    ago = _AGO.fullmatch(text)
    if ago is None:
        return text
    back = timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    return (datetime.now(timezone.utc) - back).strftime("%Y-%m-%dT%H:%M:%SZ")


def exceeded(job: Mapping[str, Any], limits: Mapping[str, int | None]) -> list[str]:
    """Descriptions of the limits that the result exceeds."""
    return [
        f"{words(name)}: {job[name]:,}, at most {limit:,} allowed"
        for name, limit in limits.items()
        if limit is not None and job[name] > limit
    ]


def reported(
    out: Output, job: Mapping[str, Any], limits: Mapping[str, int | None], figures: tuple[str, ...]
) -> dict[str, Any]:
    """Print the figures and exceeded limits of a result, and return it for `--json`."""
    title = f"{job['name']} v{job['version']}" if job["version"] else job["name"] or "draft"
    out.say(f"{title}: {job['calls']:,} recorded calls")
    out.listed([f"{words(name)}: {job[name]:,}" for name in figures])
    failed = exceeded(job, limits)
    for each in failed:
        out.problem(f"{title}: {each}")
    return {"ok": not failed, "exceeded": failed, "backtest": job}


def words(name: str) -> str:
    return name.replace("_", " ")

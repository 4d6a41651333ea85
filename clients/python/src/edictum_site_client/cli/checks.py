"""`checks test` and `checks backtest`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from edictum_site_client.cli.api import Api, Refusal
from edictum_site_client.cli.contracts import limits_in, place_of
from edictum_site_client.cli.files import text_in, yaml_files
from edictum_site_client.cli.jobs import finished, recorded_calls, reported
from edictum_site_client.cli.output import Output

FIGURES = ("newly_failed", "newly_succeeded", "otherwise_changed", "unchanged")


def test(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Validate each file and run its examples. Nothing is saved."""
    return [_tested(api, path, out) for path in yaml_files(options.paths)]


def backtest(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    body = {"yaml": text_in(options.path), **recorded_calls(options)}
    if options.scope:
        body["scope"] = options.scope
    job = finished(api, ("success-checks", "backtests"), body, options.timeout)
    return [reported(out, job, limits_in(options), FIGURES)]


def _tested(api: Api, path: Path, out: Output) -> dict[str, Any]:
    try:
        problems = api.post("success-checks", "try", yaml=text_in(path), result=None)["problems"]
    except Refusal as refusal:
        if not refusal.is_gate:
            raise
        problems = refusal.errors or [{"message": refusal.detail}]
    for each in problems:
        out.problem(f"{place_of(path, each)}: {each['message']}")
    if not problems:
        out.say(f"{path}: valid, its examples pass")
    return {"ok": not problems, "file": str(path), "problems": problems}

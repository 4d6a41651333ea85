"""`contracts check`, `push`, `diff`, `backtest` and `deploy`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from edictum_site_client.cli.api import Api, Refusal, Stop
from edictum_site_client.cli.files import tests_in, text_in, yaml_files
from edictum_site_client.cli.jobs import finished, recorded_calls, reported
from edictum_site_client.cli.output import Output

FIGURES = (
    "newly_denied",
    "newly_allowed",
    "newly_asking",
    "changed",
    "undetermined",
    "unchanged",
    "not_replayed",
)


def check(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Validate each file and run its tests. Nothing is saved."""
    return [_checked(api, path, out, strict=options.strict) for path in yaml_files(options.paths)]


def push(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Save a version of each file, all or none. With `--env`, deploy them too."""
    files = yaml_files(options.paths)
    checked = [_checked(api, path, out, strict=options.strict) for path in files]
    if not all(each["ok"] for each in checked):
        out.problem("Nothing was saved.")
        return checked
    pushed = [_pushed(api, path, options.message, out) for path in files]
    if not options.env:
        return pushed
    return [
        each | _deployed(api, each["version"]["name"], each["version"]["version"], options, out)
        for each in pushed
    ]


def diff(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Semantic changes from a saved version, by default the newest."""
    return [_compared(api, path, options, out) for path in yaml_files(options.paths)]


def backtest(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Replay recorded calls against each file or a saved version, and report the decisions."""
    if bool(options.paths) == bool(options.name):
        raise Stop("Name either files, or a saved contract with --name.")
    if options.version is not None and not options.name:
        raise Stop("--version needs --name: a file has no version.")
    subjects: list[dict[str, Any]] = [
        {"yaml": text_in(path)} for path in yaml_files(options.paths)
    ] or [{"name": options.name, "version": options.version}]
    filters = recorded_calls(options) | {"contract_only": options.contract_only}
    return [
        _backtested(
            api, {k: v for k, v in subject.items() if v is not None} | filters, options, out
        )
        for subject in subjects
    ]


def _backtested(api: Api, body: dict[str, Any], options: Namespace, out: Output) -> dict[str, Any]:
    job = finished(api, ("contracts", "backtests"), body, options.timeout)
    return reported(out, job, limits_in(options), FIGURES)


def limits_in(options: Namespace) -> dict[str, int | None]:
    return {
        name.removeprefix("max_"): value
        for name, value in vars(options).items()
        if name.startswith("max_")
    }


def deploy(api: Api, options: Namespace, out: Output) -> list[dict[str, Any]]:
    """Deploy a version, or request approval if the environment requires a second person."""
    version = options.version or api.get("contracts", options.name, limit=1)["version"]
    return [_deployed(api, options.name, version, options, out)]


def _deployed(api: Api, name: str, version: int, options: Namespace, out: Output) -> dict[str, Any]:
    title = f"{name} v{version}"
    body: dict[str, Any] = {"version": version, "env": options.env}
    if options.override:
        body["override"] = options.override
    try:
        done = api.post("contracts", name, "deployments", **body)
    except Refusal as refusal:
        if refusal.code == "approval_required" and options.request:
            return _requested(api, name, body | {"message": options.message}, out)
        if not refusal.is_gate:
            raise
        out.problem(f"{title} was not deployed to {options.env}: {refusal.detail}")
        return {"ok": False, "deployed": False, **refusal.as_result()}
    out.say(f"{title} is deployed to {options.env}")
    return {"ok": True, "deployed": True, "deployment": done}


def _requested(api: Api, name: str, body: dict[str, Any], out: Output) -> dict[str, Any]:
    row = api.post("contracts", name, "deployment-requests", **body)
    out.say(f"{name} v{body['version']}: deployment to {body['env']} requested as {row['id']}")
    return {"ok": True, "deployed": False, "request": row}


def _checked(api: Api, path: Path, out: Output, *, strict: bool) -> dict[str, Any]:
    text = text_in(path)
    read = api.post("contracts", "validate", yaml=text)
    warnings, errors = read["warnings"], read["errors"]
    for warning in warnings:
        out.say(f"{place_of(path, warning)}: note: {warning['message']}")
    for error in errors:
        out.problem(f"{place_of(path, error)}: {error['message']}")
    tests = _tests(api, path, read["name"], text) if read["valid"] else None
    failed = _print_tests(path, tests, out)
    is_ok = read["valid"] and not failed and not (strict and warnings)
    if is_ok:
        number = len(tests["results"]) if tests else 0
        out.say(f"{path}: {read['name']} is valid, {_counted(number, 'test')} passed")
    elif strict and warnings and read["valid"] and not failed:
        out.problem(f"{path}: notes count as errors with --strict")
    return {
        "ok": is_ok,
        "file": str(path),
        "name": read["name"],
        "errors": errors,
        "warnings": warnings,
        "tests": tests,
    }


def _tests(api: Api, path: Path, name: str, text: str) -> Any:
    """Test results, from the file's own tests or the console's; None for a new contract."""
    cases = tests_in(path)
    body = {"yaml": text} if cases is None else {"yaml": text, "cases": cases}
    try:
        return api.post("contracts", name, "cases", "run", **body)
    except Refusal as refusal:
        if refusal.status == 404 and cases is None:
            return None
        raise


def _print_tests(path: Path, tests: Any, out: Output) -> bool:
    if tests is None:
        return False
    if tests["why"]:
        out.problem(f"{path}: the tests could not run: {tests['why']}")
    for each in tests["results"]:
        if not each["passed"]:
            words = f"expected {each['expected']}, got {each['got']}"
            out.problem(f"{path}: test “{each['name']}” failed: {words}")
    return not tests["passed"]


def _pushed(api: Api, path: Path, message: str, out: Output) -> dict[str, Any]:
    text, cases = text_in(path), tests_in(path)
    before = _newest_hash(api, api.post("contracts", "validate", yaml=text)["name"])
    version = api.post("contracts", yaml=text, message=message)
    if cases is not None:
        api.put("contracts", version["name"], "cases", cases=cases)
    is_new = version["revision_hash"] != before
    what = "saved" if is_new else "unchanged"
    out.say(f"{path}: {version['name']} v{version['version']} {what}")
    return {"ok": True, "file": str(path), "saved": is_new, "version": version}


def _newest_hash(api: Api, name: str) -> str:
    try:
        return str(api.get("contracts", name, limit=1)["revision_hash"])
    except Refusal as refusal:
        if refusal.status == 404:
            return ""
        raise


def _compared(api: Api, path: Path, options: Namespace, out: Output) -> dict[str, Any]:
    text = text_in(path)
    read = api.post("contracts", "validate", yaml=text)
    result: dict[str, Any] = {"file": str(path), "name": read["name"], "errors": read["errors"]}
    for error in read["errors"]:
        out.problem(f"{place_of(path, error)}: {error['message']}")
    if not read["valid"]:
        return result | {"ok": False}
    body = {"yaml": text} if options.since_version is None else {
        "yaml": text, "from": options.since_version
    }  # fmt: skip
    try:
        compared = api.post("contracts", read["name"], "compare", **body)
    except Refusal as refusal:
        if refusal.status != 404 or options.since_version is not None:
            raise
        out.say(f"{path}: {read['name']} is a new contract")
        return result | {"ok": not options.exit_code, "new": True, "changes": []}
    _print_changes(path, compared, out)
    is_ok = compared["same_text"] or not options.exit_code
    return result | {"ok": is_ok, "new": False, **compared}


def _print_changes(path: Path, compared: Any, out: Output) -> None:
    title = f"{path}: {compared['name']} v{compared['from']}"
    if compared["same_text"]:
        out.say(f"{title}, unchanged")
        return
    changes = compared["changes"]
    what = _counted(len(changes), "change") if changes else "only comments or formatting differ"
    out.say(f"{title}, {what}")
    out.listed([f"{each['subject']}: {_words_of(each)}" for each in changes])


def _words_of(change: Any) -> str:
    words = " ".join(part for part in (change["what"], change["kind"]) if part)
    before, after = change["before"], change["after"]
    if before and after:
        return f"{words}: {before} → {after}"
    return f"{words}: {before or after}" if before or after else words


def place_of(path: Path, problem: Any) -> str:
    parts = [path, problem.get("line"), problem.get("column")]
    return ":".join(str(part) for part in parts if part is not None)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

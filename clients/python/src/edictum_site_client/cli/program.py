"""Check, backtest and deploy contracts and success checks of an Edictum Site console."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from edictum_site_client.cli import checks, contracts, outcomes
from edictum_site_client.cli.api import Api, Refusal, Stop
from edictum_site_client.cli.output import Output

FINE, GATE, NOT_RUN = 0, 1, 2
EXITS = "Exit status: 0 fine, 1 a gate failed, 2 wrong usage or no connection."

Command = Callable[[Api, Namespace, Output], list[dict[str, Any]]]


class Parser(ArgumentParser):
    """Argument parser whose errors never contain a key."""

    def error(self, message: str) -> NoReturn:
        Output(os.environ.get("EDICTUM_SITE_KEY", "")).problem(f"{self.prog}: {message}")
        raise SystemExit(NOT_RUN)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    out = Output(as_json=options.json)
    try:
        out.key = _key(options)
        url = options.url or os.environ.get("EDICTUM_SITE_URL", "")
        api = Api(url, out.key, allow_insecure=options.allow_insecure)
        return _carried_out(api, options, out)
    except Refusal as refusal:
        return _refused(refusal, out)
    except Stop as stop:
        out.problem(str(stop))
        if out.as_json:
            out.document({"ok": False, "error": {"code": "not_run", "detail": str(stop)}})
        return NOT_RUN
    except BrokenPipeError:  # such as `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except KeyboardInterrupt:
        return FINE if options.run is outcomes.tail else 130


def _carried_out(api: Api, options: Namespace, out: Output) -> int:
    run: Command = options.run
    results = run(api, options, out)
    is_ok = all(each["ok"] for each in results)
    if out.as_json and run is not outcomes.tail:
        out.document({"ok": is_ok, "results": results})
    return FINE if is_ok else GATE


def _refused(refusal: Refusal, out: Output) -> int:
    out.problem(f"The console answered {refusal.status}: {refusal.detail}")
    for each in refusal.errors:
        place = ":".join(str(each[part]) for part in ("line", "column") if each.get(part))
        out.problem(f"    {place or each.get('path') or '-'}: {each.get('message', '')}")
    if out.as_json:
        out.document({"ok": False, "error": {"status": refusal.status, **refusal.as_result()}})
    return GATE if refusal.is_gate else NOT_RUN


def _key(options: Namespace) -> str:
    if options.key_file is None:
        return os.environ.get("EDICTUM_SITE_KEY", "").strip()
    try:
        content: str = options.key_file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"The file of --key-file cannot be read: {error}") from error
    return content


def parser() -> ArgumentParser:
    top = Parser(prog="edictum-site-cli", description=__doc__, epilog=EXITS, allow_abbrev=False)
    groups = top.add_subparsers(metavar="contracts|checks|outcomes", required=True)
    _contracts(groups.add_parser("contracts", help="YAML documents of rules"))
    _checks(groups.add_parser("checks", help="success checks"))
    _outcomes(groups.add_parser("outcomes", help="recorded calls"))
    return top


def _contracts(group: ArgumentParser) -> None:
    actions = group.add_subparsers(metavar="check|push|diff|backtest|deploy", required=True)
    check = _command(actions, "check", contracts.check, "validate files and run their tests")
    _paths(check)
    push = _command(actions, "push", contracts.push, "save a version of each file that differs")
    _paths(push)
    push.add_argument("--env", default="", help="environment to deploy to")
    for each in (check, push):
        each.add_argument("--strict", action="store_true", help="notes count as errors")
    diff = _command(actions, "diff", contracts.diff, "changes by meaning from a saved version")
    _paths(diff)
    diff.add_argument("--from", dest="since_version", type=int, metavar="VERSION")
    diff.add_argument("--exit-code", action="store_true", help="exit 1 if a file differs")
    test = _command(actions, "backtest", contracts.backtest, "decisions about recorded calls")
    test.add_argument("paths", type=Path, nargs="*", metavar="FILE|DIR")
    test.add_argument("--name", default="", help="a saved contract instead of files")
    test.add_argument("--version", type=int, help="of the saved contract; the newest")
    test.add_argument("--contract-only", action="store_true", help="only calls under this contract")
    _recorded(test, ("newly_denied", "newly_allowed", "newly_asking", "undetermined"))
    deploy = _command(actions, "deploy", contracts.deploy, "deploy a saved version")
    deploy.add_argument("name", metavar="NAME")
    deploy.add_argument("--env", required=True)
    deploy.add_argument("--version", type=int, help="the newest unless given")
    for each in (push, deploy):
        each.add_argument(
            "--request", action="store_true", help="request approval where a second person decides"
        )
        each.add_argument("--message", default="", help="of new versions and of requests")
        each.add_argument("--override", default="", help="reason to deploy despite failing tests")


def _checks(group: ArgumentParser) -> None:
    actions = group.add_subparsers(metavar="test|backtest", required=True)
    _paths(_command(actions, "test", checks.test, "validate files and run their examples"))
    test = _command(actions, "backtest", checks.backtest, "verdicts about recorded calls")
    test.add_argument("path", type=Path, metavar="FILE")
    test.add_argument("--scope", choices=["bound", "all"], default="")
    _recorded(test, ("newly_failed", "newly_succeeded", "otherwise_changed"))


def _outcomes(group: ArgumentParser) -> None:
    actions = group.add_subparsers(metavar="tail", required=True)
    tail = _command(actions, "tail", outcomes.tail, "print calls as they arrive")
    for name in ("agent", "tool", "session", "env", "verdict", "type"):
        tail.add_argument(f"--{name}", default="")
    tail.add_argument("--q", default="", help="terms of the search language")
    tail.add_argument("--lines", type=_number, default=10, help="earlier calls to begin with (10)")
    tail.add_argument("--for", dest="seconds", type=_seconds, help="seconds; else until Ctrl-C")
    tail.add_argument("--interval", type=_seconds, default=2.0, help="seconds between polls (2)")


def _command(actions: Any, name: str, run: Command, words: str) -> ArgumentParser:
    made: ArgumentParser = actions.add_parser(
        name, help=words, description=words, epilog=EXITS, allow_abbrev=False
    )
    made.set_defaults(run=run)
    made.add_argument("--url", default="", help="address of the console (EDICTUM_SITE_URL)")
    made.add_argument(
        "--key-file", type=Path, metavar="FILE", help="file with the API key (EDICTUM_SITE_KEY)"
    )
    made.add_argument("--allow-insecure", action="store_true", help="send the key without TLS")
    made.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return made


def _paths(command: ArgumentParser) -> None:
    command.add_argument("paths", type=Path, nargs="+", metavar="FILE|DIR")


def _recorded(command: ArgumentParser, limits: Sequence[str]) -> None:
    for name in ("env", "agent", "tool"):
        command.add_argument(f"--{name}", default="", help="only these recorded calls")
    command.add_argument("--since", default="", help="a time, or 7d, 12h, 30m ago")
    command.add_argument("--until", default="", help="the same")
    command.add_argument("--timeout", type=_seconds, default=600.0, help="seconds (600)")
    for name in limits:
        option = f"--max-{name.replace('_', '-')}"
        command.add_argument(option, type=_number, metavar="N", help="gate: more than N fail")


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.1 <= seconds <= 86_400:
        raise ValueError(text)
    return seconds

"""Success checks: decoded results that a core checks per second, compared with plain functions.

Ten rules are written twice, as a named check and as equivalent Python. Both check the same results
by turns, and their verdicts are compared result by result. `python -m bench.checks` runs this part
alone.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from governance.checks.language.named import NamedCheck
from governance.checks.language.text import check_text

RESULTS, ROUNDS = 50_000, 5

CHECK = r"""
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: bench}
otherwise: success
rules:
  - {id: null-is-failure, when: {result: {type: "null"}}, verdict: failure}
  - {id: not-ok, when: {result.ok: {equals: false}}, verdict: failure, reason: "{result.message}"}
  - id: http
    tool: "http_*"
    when: {"result.status ?? result.status_code ?? result.statusCode": {gte: 400}}
    verdict: failure
    reason: "HTTP {value}"
  - {id: no-rows, tool: query_users, when: {result.rows: {empty: true}}, verdict: failure}
  - {id: mcp, when: {result.isError: {equals: true}}, verdict: failure}
  - id: json-rpc
    when: {all: [{result.error.code: {type: number}}, {not: {result.result: {exists: true}}}]}
    verdict: failure
  - {id: shell, when: {"result.exit_code ?? result.returncode": {not_equals: 0}}, verdict: failure}
  - id: bulk
    when: {"result.items[*].error": {any_item: {exists: true}}}
    verdict: failure
    label: partial
  - {id: traceback, when: {result: {contains: "Traceback"}}, verdict: failure}
  - {id: prefix, when: {result: {matches: "^(error|fatal):", ignore_case: true}}, verdict: failure}
"""


def plain(tool: str, result: Any) -> str:
    """Name of the deciding rule, with the same rules as plain Python."""
    if result is None:
        return "null-is-failure"
    if isinstance(result, str):
        if "Traceback" in result:
            return "traceback"
        return "prefix" if result[:6].lower() in ("error:", "fatal:") else "otherwise"
    if result.get("ok") is False:
        return "not-ok"
    if tool.startswith("http_") and _number(result, "status", "status_code", "statusCode") >= 400:
        return "http"
    if tool == "query_users" and result.get("rows") == []:
        return "no-rows"
    if result.get("isError") is True:
        return "mcp"
    error = result.get("error")
    if isinstance(error, dict) and "code" in error and result.get("result") is None:
        return "json-rpc"
    if _number(result, "exit_code", "returncode") != 0:
        return "shell"
    items = result.get("items", ())
    return "bulk" if any(item.get("error") is not None for item in items) else "otherwise"


def _number(result: dict[str, Any], *names: str) -> float:
    outcome = (result[name] for name in names if result.get(name) is not None)
    return float(next(outcome, 0))


def checks() -> dict[str, Any]:
    results = _results()
    checked = check_text(CHECK, included=lambda name: None)
    if checked.compiled is None:
        raise ValueError(checked.problems)
    judge = NamedCheck(checked.compiled).judge
    seconds: dict[str, list[float]] = {"check": [], "python": []}
    for _ in range(ROUNDS):
        seconds["check"].append(_seconds(judge, results))
        seconds["python"].append(_seconds(plain, results))
    check, python = min(seconds["check"]), min(seconds["python"])
    listed = [judge(tool, result).rule for tool, result in results]
    faults = _faults(listed, results)
    figures = {"items_per_s": RESULTS / check, "of_python": python / check}
    return {
        "part": "checks",
        "items": RESULTS,
        **({} if faults else figures),
        "rules": dict(Counter(listed)),
        "recount": faults or "exact",
    }


def in_words(result: dict[str, Any]) -> str:
    if result["recount"] != "exact":
        return f"checks: no figure. {'; '.join(result['recount'])}"
    return (
        f"checks: {result['items_per_s']:,.0f} decoded results/s per core by ten rules,"
        f" {result['of_python']:.2f} of the same rules as plain Python"
    )


def _seconds(judge: Callable[[str, Any], object], results: Sequence[tuple[str, Any]]) -> float:
    """CPU seconds to check all results; CPU time is unaffected by other programs."""
    begun = time.process_time()
    for tool, result in results:
        judge(tool, result)
    return time.process_time() - begun


def _faults(words: Sequence[str], results: Sequence[tuple[str, Any]]) -> list[str]:
    wrong = [
        f"{tool} {json.dumps(result)[:80]}: {rule}"
        for rule, (tool, result) in zip(words, results, strict=True)
        if rule != plain(tool, result)
    ]
    return [f"{len(wrong)} verdicts differ, such as {wrong[0]}"] if wrong else []


def _results() -> list[tuple[str, Any]]:
    """Results of which one in eight fails, covering every rule."""
    chance = random.Random(1)  # noqa: S311 - the same ones in every run
    return [_failed(chance) if chance.random() < 0.125 else _fine(chance) for _ in range(RESULTS)]


def _fine(chance: random.Random) -> tuple[str, Any]:
    number = chance.randrange(1_000)
    return chance.choice(
        [
            (
                "http_get",
                {"status": 200, "body": {"id": number, "tags": ["a", "b"]}, "headers": {}},
            ),
            ("query_users", {"rows": [{"id": number, "name": "x"}], "count": 1}),
            ("shell", {"exit_code": 0, "stdout": f"{number} files\n" * 9, "stderr": ""}),
            ("mcp", {"content": [{"type": "text", "text": "fine"}], "isError": False}),
            ("read_file", f"Line {number} of a file that has some more.\n" * 12),
            ("bulk", {"items": [{"id": number + each, "error": None} for each in range(5)]}),
            ("rpc", {"jsonrpc": "2.0", "id": number, "result": {"done": True}}),
            ("save", {"ok": True, "id": number}),
        ]
    )


def _failed(chance: random.Random) -> tuple[str, Any]:
    number = chance.randrange(400, 600)
    return chance.choice(
        [
            ("http_post", {"statusCode": number, "body": "no"}),
            ("query_users", {"rows": [], "count": 0}),
            ("shell", {"returncode": number, "stderr": "no such file"}),
            ("mcp", {"content": [{"type": "text", "text": "no"}], "isError": True}),
            ("read_file", f"ERROR: no such file: {number}"),
            ("run", f"Traceback (most recent call last):\n  line {number}\nValueError: no"),
            ("bulk", {"items": [{"id": 1, "error": None}, {"id": number, "error": "no"}]}),
            ("rpc", {"jsonrpc": "2.0", "error": {"code": -number, "message": "no"}}),
            ("save", {"ok": False, "message": f"quota {number}"}),
            ("find", None),
        ]
    )


if __name__ == "__main__":
    print(in_words(checks()))

"""Compiled checks written by hand, for structures that no YAML compiles to."""

from typing import Any

from governance.checks.language.automata import automaton

RESULT = [{"base": "result", "steps": []}]


def leaf(op: str, value: Any, select: Any = None) -> dict[str, Any]:
    return {"select": select or RESULT, "text": "result", "op": op, "value": value}


def there(select: Any = None) -> dict[str, Any]:
    return leaf("exists", value=True, select=select)


def piped(*steps: list[Any]) -> list[dict[str, Any]]:
    return [{"base": "result", "steps": list(steps)}]


def rule(when: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "id": "rule",
        "of": None,
        "of_version": None,
        "tool": "*",
        "when": when,
        "verdict": "failure",
        "reason": [],
        "label": None,
    } | fields


def check(*rules: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "check",
        "version": 1,
        "otherwise": "success",
        "automata": [automaton("(a+)+$"), automaton(r"(?:\\|\[|é)*x")],
        "rules": list(rules),
    } | fields

"""Generated checks and calls that exercise every part of the language, the same in every run.

Each rule is for one operator and one verdict, and applies to its own tools, so that no rule hides
another. Most of its calls are generated so that the rule can match.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.governance.checks.language.oracle import Expected, parsed, split

VERDICTS = ("success", "failure", "unknown")
OTHERWISE = (*VERDICTS, "default")
RULES, CALLS = 24, 55  # per operator and verdict; per rule

KEYS = ("ok", "status", "error", "items", "a b", "é", "0")
TEXTS = (
    *(
        "",
        "ok",
        "OK",
        "Error: no",
        "error",
        "fatal: x",
        "500",
        "é",
        "É",
        "\U0001f600 ok",
        "\u017f\u212a",
    ),
    *("a\nok\nTraceback (most", "Traceback", " \t", '{"ok": false, "status": [500]}', "[1, null]"),
    *('"\\"ok\\""', '"[true]"', "\\", '"', "\u2028", "\x00", "\x7f", "\ud800", "ok\udc00", "1e400"),
)
NUMBERS = (
    *(0, -0.0, 1, 1.0, -1, 2, 3, 0.1, 200, 399.5, 400, 500, 1e-7, 1.5e-5, 5e-324, 1e300, 1e21),
    *(2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**60 + 1, 10**20, 123456789012345678901),
)
FLAT = (None, True, False, *NUMBERS, *TEXTS)
PATTERNS = (
    *("ok", "^ok$", "[Ee]rror", "^Traceback", r"^\d{3}$", r"\bok\b", "(a|b)*k", "é", "^.$", "o.*k"),
    *("(?:no|ok)$", "^$", "[^a-z]", "[^[:space:]]", "[[:digit:]]{2}", "\u2028|\\\\", "^[^\n]*$"),
)
LABELS = ("timeout", "denied", "interrupted", "partial", "pending", "retryable")
TYPES = ("null", "bool", "number", "string", "array", "object")
ON_ITEMS = ("any_item", "every_item", "no_item", "count_items")
OPERATORS = (
    *("exists", "equals", "not_equals", "in", "not_in", "contains", "contains_any", "starts_with"),
    *("ends_with", "matches", "matches_any", "gt", "gte", "lt", "lte", "type", "empty", "length"),
    *ON_ITEMS,
)
FOLDED = ("equals", "in", "contains", "contains_any", "starts_with", "ends_with", "matches")
STEPS = ("key", "index", "[*]", ".*", "|json", "|text", "??", "tool")
COMBINED = ("all", "any", "not")
DEFAULTS = ("success null", "success otherwise", "failure is_error", "failure error_prefix")
REACHED = [
    *(f"{verdict} {part}" for verdict in VERDICTS for part in (*OPERATORS, *STEPS, *COMBINED)),
    *(f"{verdict} ignore_case {op}" for verdict in VERDICTS for op in FOLDED),
    *(f"{verdict} {part}" for verdict in VERDICTS for part in ("multiline", "reason", "label")),
    *(f"{verdict} otherwise {verdict}" for verdict in VERDICTS),
    *(f"{each} default" for each in DEFAULTS),
]


@dataclass(frozen=True)
class Generated:
    document: dict[str, Any]
    calls: list[tuple[str, str]]  # tools, and their results as JSON


def generated() -> list[Generated]:
    """One check with many rules for each operator and verdict."""
    chance = random.Random(5)  # noqa: S311 - the same ones in every run
    checks: list[Generated] = []
    for op in OPERATORS:
        for verdict in VERDICTS:
            checks.append(_check(chance, op, verdict, OTHERWISE[len(checks) % 4]))
    return checks


def constructs(document: dict[str, Any], tool: str, expected: Expected) -> Iterator[str]:
    """Language constructs that took part in a verdict."""
    begin = f"{expected.verdict} "
    if expected.leaf is None:
        default = document["otherwise"] == "default"
        yield begin + (f"{expected.rule} default" if default else f"otherwise {expected.verdict}")
        return
    ((selector, test),) = expected.leaf.items()
    options = [name for name in test if name in ("ignore_case", "multiline")]
    op = next(name for name in test if name not in options)
    yield begin + op
    yield from (
        f"{begin}{name} {op}" if name == "ignore_case" else begin + name for name in options
    )
    ways = split(selector)
    steps = [step for way in ways for step in parsed(way)[1]]
    named = {_kind_of(step) for step in steps} | ({"??"} if len(ways) > 1 else set())
    yield from (begin + kind for kind in sorted(named | ({"tool"} & set(ways))))
    rule = next(rule for rule in document["rules"] if rule["id"] == expected.rule)
    yield from (begin + word for word in COMBINED if word in rule["when"])
    yield from (begin + part for part in ("reason", "label") if part in rule)


def _kind_of(step: str) -> str:
    if step in STEPS:
        return step
    return "index" if step.startswith("[") else "key"


def _check(chance: random.Random, op: str, verdict: str, otherwise: str) -> Generated:
    rules, calls = [], []
    for number in range(RULES):
        selector = _selector(chance, op)
        leaf = {selector: _test(chance, op)}
        rule: dict[str, Any] = {
            "id": f"r{number}",
            "tool": f"t{number}_*",
            "when": _when(chance, leaf),
            "verdict": verdict,
        }
        if chance.random() < 0.5:
            rule["reason"] = chance.choice(_REASONS)
        if chance.random() < 0.5:
            rule["label"] = chance.choice(LABELS)
        rules.append(rule)
        calls += [_call(chance, number, selector, leaf[selector]) for _ in range(CALLS)]
    document = {
        "apiVersion": "edictum-site/v1",
        "kind": "SuccessCheck",
        "metadata": {"name": f"{op.replace('_', '-')}-{verdict}"},
        "otherwise": otherwise,
        "rules": rules,
    }
    return Generated(document, calls)


_REASONS = ("{value}", "HTTP {value}: {result.error ?? result.ok}", "{{}} {result|text}", "{tool}")
_SELECTORS = (
    *("result", "result", "result.ok", "result.ok", "result.status", 'result."a b"', 'result."é"'),
    *(
        "result.error.ok",
        "result[0]",
        "result[-1]",
        "result.items[1]",
        "tool",
        "tool",
        "result|text",
    ),
    *("result.ok ?? result.status", 'result."0" ?? result.error[0] ?? result.items', "result|json"),
    *("result|json.ok", "result.ok|json|json", "result.ok|text", "result.items[0].status"),
)
_OF_LISTS = (
    *("result[*]", "result.items[*]", "result.*", "result.items[*].ok", "result[*]|json", "result"),
    *(
        "result.items",
        "result.items.*.ok",
        "result.items[*].items[*]",
        "result[*]|text",
        "result[0]",
    ),
    *("result.items ?? result.error[*]", "result|json.status", "result.items[*].*", "result.ok"),
)


def _selector(chance: random.Random, op: str) -> str:
    on_list = op in ON_ITEMS or chance.random() < (0.3 if op in _OF_ALL else 0)
    return chance.choice(_OF_LISTS if on_list else _SELECTORS)


_OF_ALL = ("exists", "equals", "not_equals", "not_in", "type", "empty", "length")


def _test(chance: random.Random, op: str) -> dict[str, Any]:
    test: dict[str, Any] = {op: _operand(chance, op)}
    if op in FOLDED and chance.random() < 0.85:
        test["ignore_case"] = True
    if op in ("matches", "matches_any") and chance.random() < 0.5:
        test["multiline"] = True
    return test


def _operand(chance: random.Random, op: str) -> Any:
    match op:
        case "exists" | "empty":
            return chance.random() < 0.7
        case "equals" | "not_equals":
            return chance.choice([*_WRITABLE, [], {}, [1, True], {"ok": [None, 2**53 + 1]}])
        case "in" | "not_in":
            return [*chance.sample(_WRITABLE, 8), [], {"ok": 1}]
        case "contains" | "starts_with" | "ends_with":
            return chance.choice(["ok", "OK", "e", "E", "", "t", "k", "\U0001f600", "Error"])
        case "contains_any":
            return chance.sample(["ok", "OK", "é", "É", "Error", "500", "T", "\U0001f600"], 3)
        case "matches":
            return chance.choice(PATTERNS)
        case "matches_any":
            return chance.sample(PATTERNS, 2)
        case "gt" | "gte" | "lt" | "lte":
            return chance.choice(NUMBERS[:14])
        case "type":
            return chance.choice(TYPES)
        case "length":
            return _comparison(chance)
        case "count_items":
            return {"when": _about_item(chance), "is": _comparison(chance)}
        case _:
            return _about_item(chance)


# A check contains neither lone surrogates nor NUL; results can.
_WRITABLE = [each for each in FLAT if not isinstance(each, str) or each.isprintable()]


def _comparison(chance: random.Random) -> dict[str, Any]:
    ops = ["gt", "gte", "lt", "lte", "equals", "not_equals"]
    return {chance.choice(ops): chance.choice([0, 0, 1, 1, 2, 3, 1.5])}


def _about_item(chance: random.Random) -> dict[str, Any]:
    op = chance.choice([each for each in OPERATORS if each not in ON_ITEMS])
    inner = _test(chance, op)
    selector = chance.choice(["item", "item.ok", "item.status ?? item", "item[0]", "result.ok"])
    match chance.randrange(5):
        case 0:
            return inner
        case 1:
            return {"not": {selector: inner}}
        case 2:
            return {"any": [{selector: inner}, {"item.items": {"any_item": {"exists": True}}}]}
        case _:
            return {selector: inner}


def _when(chance: random.Random, leaf: dict[str, Any]) -> dict[str, Any]:
    """A condition in which this leaf usually decides."""
    true, false = {"tool": {"starts_with": "t"}}, {"result.no": {"exists": True}}
    match chance.randrange(6):
        case 0:
            return {"all": [leaf, true, {"not": false}]}
        case 1:
            return {"any": [false, {"all": [false, leaf]}, leaf]}
        case 2:
            return {"not": leaf}
        case _:
            return leaf


def _call(chance: random.Random, rule: int, selector: str, test: dict[str, Any]) -> tuple[str, str]:
    result = _value(chance, 3)
    if chance.random() < 0.8:
        way = chance.choice(split(selector))
        planted = chance.choice(_hits(chance, test))
        result = _planted(chance, planted, parsed(way)[1] if way != "tool" else [])
    if chance.random() < 0.1:
        errors = ["Error: x", "FATAL:", " error:", "error"]
        flag = {"is_error": chance.choice([True, "x", 0, [], {"a": 1}])}
        result = chance.choice([flag, flag, None, chance.choice(errors)])
    tool = f"t{rule}_" + chance.choice(["", "a", "OK", "é", "x?"])
    return tool, json.dumps(result)


def _hits(chance: random.Random, test: dict[str, Any]) -> list[Any]:
    """Values, some of which match the operator."""
    op, result = next(iter(test.items()))
    if op in ON_ITEMS:
        return [[_value(chance, 1) for _ in range(chance.randrange(4))] for _ in range(6)]
    if op in ("equals", "not_equals"):
        return [result, result, *_likes(result), _value(chance, 2)]
    if op in ("in", "not_in"):
        return [*result, _value(chance, 2), *_likes(result[0])]
    if op in ("contains", "starts_with", "ends_with", "contains_any"):
        words = result if isinstance(result, list) else [result]
        return [
            *words,
            *(word.swapcase() for word in words),
            f"a {words[0]} b",
            chance.choice(TEXTS),
        ]
    if op in ("matches", "matches_any"):
        return [*TEXTS]
    if op in ("gt", "gte", "lt", "lte"):
        return [*NUMBERS, True, "500"]
    if op == "exists":
        return [None, None, False, 0, "", [], "x"]
    return [None, *FLAT[:4], "", "ab", "\U0001f600", [], [1, 2], {}, {"ok": None}, {"a": 1, "b": 2}]


def _likes(value: Any) -> list[Any]:
    """Values that are nearly equal, and equal values in another form."""
    if isinstance(value, bool):
        return [int(value), not value, str(value).lower()]
    if isinstance(value, int | float):
        return [float(value), value + 1, str(value), value == 1]
    return [value.swapcase(), [value]] if isinstance(value, str) else [[value], "null"]


def _planted(chance: random.Random, value: Any, steps: list[str]) -> Any:
    """A result in which these steps usually lead to this value."""
    for step in reversed(steps):
        other = _value(chance, 1)
        if step == "|json":
            value = json.dumps(value)
        elif step == "|text":
            value = value if isinstance(value, str) and chance.random() < 0.9 else [value]
        elif step == "[*]":
            value = value if isinstance(value, list) and chance.random() < 0.3 else [value, other]
        elif step == ".*":
            value = {chance.choice(KEYS): value, "ok": other, "\U0001f600": value, "\uffff": 1}
        elif step.startswith("["):
            place = int(step[1:-1])
            value = [other] * max(place, 0) + [value] if place >= 0 else [other, value]
        else:
            name = json.loads(step[1:]) if step.startswith('."') else step[1:]
            value = {"error": other, name: value}
    return value


def _value(chance: random.Random, depth: int) -> Any:
    size = chance.randrange(4) if depth else 0
    match chance.randrange(6):
        case 0 | 1 if depth:
            return {chance.choice(KEYS): _value(chance, depth - 1) for _ in range(size)}
        case 2 if depth:
            return [_value(chance, depth - 1) for _ in range(size)]
        case _:
            return chance.choice(FLAT)

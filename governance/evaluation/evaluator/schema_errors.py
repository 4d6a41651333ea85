"""Converts schema errors to findings: the key, its value, and the allowed values.

For a rule or a condition the schema lists four alternatives, and its error repeats all four. The
author meant one of them, and the type or the first key shows which.
"""

import json
from collections.abc import Iterator
from typing import Any

from jsonschema import ValidationError

from governance.evaluation.evaluator.messages import Finding

_TYPES = ["pre", "post", "session", "sandbox"]
_BRANCHES = {"ExprAll": "all", "ExprAny": "any", "ExprNot": "not"}


def explain(error: ValidationError) -> Iterator[Finding]:
    path: list[str | int] = [str(s) if isinstance(s, str) else s for s in error.absolute_path]
    if error.validator in ("oneOf", "anyOf"):
        yield from _alternatives(error, path)
    elif error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", ()))
        for key in error.instance:
            if key not in known:
                names = [str(key), *known]
                yield Finding("unknown_key", [*path, str(key)], at_key=True, names=names)
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                yield Finding("missing_key", path, names=[key])
    elif error.validator in ("enum", "const"):
        values = error.validator_value if error.validator == "enum" else [error.validator_value]
        yield Finding("not_allowed", path, names=[_shown(error.instance), *map(str, values)])
    else:
        yield _simple(error, path)


def _simple(error: ValidationError, path: list[str | int]) -> Finding:
    expected = error.validator_value
    match error.validator:
        case "type":
            return Finding("wrong_type", path, names=[_shown(error.instance), str(expected)])
        case "pattern":
            return Finding("bad_name", path, names=[_shown(error.instance)])
        case "minLength" | "minItems":
            return Finding("empty", path)
        case "maxLength":
            return Finding("too_long", path, names=[str(len(error.instance)), str(expected)])
        case "minimum":
            return Finding("too_small", path, names=[_shown(error.instance), str(expected)])
        case "minProperties" | "maxProperties":
            return Finding("one_key", path)
        case _:
            return Finding("library", path, detail=error.message[:300])


def _alternatives(error: ValidationError, path: list[str | int]) -> Iterator[Finding]:
    branches = [_name(branch) for branch in error.validator_value]
    if "PreContract" in branches:
        yield from _rule(error, path, branches)
    elif "ExprLeaf" in branches:
        yield from _condition(error, path, branches)
    elif all("required" in branch for branch in error.validator_value):
        names = [key for branch in error.validator_value for key in branch["required"]]
        several = error.validator == "oneOf" and all(name in error.instance for name in names)
        yield Finding("only_one_of" if several else "one_of", path, names=names)
    else:
        types = [str(branch.get("type", "")) for branch in error.validator_value]
        yield Finding("wrong_type", path, names=[_shown(error.instance), " or ".join(types)])


def _rule(error: ValidationError, path: list[str | int], branches: list[str]) -> Iterator[Finding]:
    rule = error.instance
    if not isinstance(rule, dict):
        yield Finding("wrong_type", path, names=[_shown(rule), "object"])
    elif "type" not in rule:
        yield Finding("missing_key", path, names=["type"])
    elif rule["type"] not in _TYPES:
        yield Finding("not_allowed", [*path, "type"], names=[_shown(rule["type"]), *_TYPES])
    else:
        yield from _in_branch(error, branches.index(f"{rule['type'].title()}Contract"))


def _condition(
    error: ValidationError, path: list[str | int], branches: list[str]
) -> Iterator[Finding]:
    condition = error.instance
    if not isinstance(condition, dict):
        yield Finding("wrong_type", path, names=[_shown(condition), "condition"])
        return
    meant = next((b for b in branches if _BRANCHES.get(b, "") in condition), "ExprLeaf")
    yield from _in_branch(error, branches.index(meant))


def _in_branch(error: ValidationError, branch: int) -> Iterator[Finding]:
    for inner in error.context or ():
        if inner.schema_path[0] == branch:
            yield from explain(inner)


def _name(branch: dict[str, Any]) -> str:
    return str(branch.get("$ref", "")).rpartition("/")[2]


def _shown(value: Any) -> str:
    return short(value if isinstance(value, str) else json.dumps(value, default=str))


def short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."

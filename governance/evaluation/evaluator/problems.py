"""Finds every reason why the library rejects a document, each with its path.

The library stops at its first error, in the schema's terms. This runs the same schema and the same
lookups again, but only once the library has rejected the document: it rejects none by itself.
"""

import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import yaml
from edictum.yaml_engine.evaluator import BUILTIN_OPERATOR_NAMES
from jsonschema import Draft202012Validator

from governance.evaluation.evaluator.expressions import leaves
from governance.evaluation.evaluator.messages import Finding
from governance.evaluation.evaluator.schema_errors import explain

MOST = 100

_SCHEMA = json.loads(
    resources.files("edictum.yaml_engine").joinpath("edictum-v2.schema.json").read_text()
)
_VALIDATOR = Draft202012Validator(_SCHEMA)


def findings_in(text: str) -> list[Finding]:
    document = yaml.load(text, Loader=yaml.CSafeLoader)
    errors = _VALIDATOR.iter_errors(document)
    findings = _once(finding for error in errors for finding in explain(error))
    return findings or _once(_beyond_the_schema(document))


def unreadable_values(text: str) -> list[Finding]:
    """Values that YAML takes for a date, a number or a tag, and can't convert."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    return _once(_unreadable(root, [])) if root is not None else []


def library_says(error: Exception) -> Finding:
    return Finding("library", [], detail=_short(str(error)))


def _once(findings: Iterator[Finding]) -> list[Finding]:
    seen: dict[str, Finding] = {}
    for finding in findings:
        seen.setdefault(repr(finding), finding)
        if len(seen) == MOST:
            break
    return list(seen.values())


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


def _beyond_the_schema(document: dict[str, Any]) -> Iterator[Finding]:
    ids: set[str] = set()
    for place, rule in enumerate(document["rules"]):
        path: list[str | int] = ["rules", place]
        if rule["id"] in ids:
            yield Finding("duplicate_id", [*path, "id"], names=[rule["id"]])
        ids.add(rule["id"])
        yield from _sandbox(rule, path)
        for leaf_path, selector, operators in leaves(rule.get("when"), [*path, "when"]):
            if rule["type"] == "pre" and selector == "output.text":
                yield Finding("output_in_pre", leaf_path, at_key=True)
            for operator, operand in operators.items():
                yield from _operator(str(operator), operand, [*leaf_path, str(operator)])


def _sandbox(rule: dict[str, Any], path: list[str | int]) -> Iterator[Finding]:
    for key, needs in (("not_within", "within"), ("not_allows", "allows")):
        if rule["type"] == "sandbox" and key in rule and needs not in rule:
            yield Finding("needs", [*path, key], at_key=True, names=[key, needs])
    denied, allowed = rule.get("not_allows", {}), rule.get("allows", {})
    if "domains" in denied and "allows" in rule and "domains" not in allowed:
        names = ["not_allows.domains", "allows.domains"]
        yield Finding("needs", [*path, "not_allows", "domains"], at_key=True, names=names)


def _operator(operator: str, operand: Any, path: list[str | int]) -> Iterator[Finding]:
    if operator not in BUILTIN_OPERATOR_NAMES:
        names = [operator, *sorted(BUILTIN_OPERATOR_NAMES)]
        yield Finding("unknown_operator", path, at_key=True, names=names)
    if operator == "matches":
        yield from _pattern(operand, path)
    if operator == "matches_any":
        for place, pattern in enumerate(operand):
            yield from _pattern(pattern, [*path, place])


def _pattern(pattern: str, path: list[str | int]) -> Iterator[Finding]:
    try:
        re.compile(pattern)
    except RecursionError:
        yield Finding("bad_pattern", path, detail="its groups are nested too deeply")
    except (re.error, OverflowError) as error:
        yield Finding("bad_pattern", path, detail=_short(str(error)))


def _unreadable(node: yaml.Node, path: list[str | int]) -> Iterator[Finding]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _unreadable(key, [*path, str(key.value)])
            yield from _unreadable(value, [*path, str(key.value)])
    if isinstance(node, yaml.SequenceNode):
        for place, item in enumerate(node.value):
            yield from _unreadable(item, [*path, place])
    if _is_unreadable(node):
        text = node.value if isinstance(node, yaml.ScalarNode) else node.tag
        yield Finding("unreadable", path, names=[_short(str(text))])


def _is_unreadable(node: yaml.Node) -> bool:
    if isinstance(node, yaml.MappingNode):
        node = yaml.MappingNode(node.tag, [])  # its contents have been tested already
    if isinstance(node, yaml.SequenceNode):
        node = yaml.SequenceNode(node.tag, [])
    try:
        yaml.SafeLoader("").construct_document(node)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, yaml.YAMLError):
        return True
    return False
